package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.LogLines;
import dev.limiter.spring.compile.TestRules;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A store of changes that fails does not fail the application and is logged once. Each start reads once. */
class ChangeFollowerTests {

    private final FailingStore store = new FailingStore();
    private final LogLines log = new LogLines();
    private final ChangeFollower follower = new ChangeFollower(TestRules.live(store), log);

    @Test
    void changesOfBeforeAreReadAtTheStart() {
        assertThat(follower.isRunning()).isFalse();
        follower.start();
        assertThat(follower.isRunning()).isTrue();
        assertThat(store.asked).hasPositiveValue();
        follower.stop();
    }

    @Test
    void failingStoreDoesNotFailTheStartAndIsLoggedOnce() {
        store.failure = new ChangeStoreException("no changes now", new IllegalStateException());
        start();
        start();
        assertThat(log.lines()).containsExactly("WARN no changes now Cause: java.lang.IllegalStateException");

        store.failure = null;
        start();
        start();
        assertThat(log.lines()).hasSize(2).last().asString().startsWith("INFO").endsWith("can be read again");
    }

    @Test
    void unexpectedFailureStopsNoStart() {
        store.failure = new IllegalStateException("broken");
        start();
        assertThat(log.lines()).singleElement().asString().startsWith("ERROR").endsWith("failed; trying again");
    }

    /** The client of the store reports the interrupt that ends the thread as a failure. */
    @Test
    void failureDuringStopIsNotLogged() {
        store.failure = new ChangeStoreException("interrupted", new InterruptedException());
        store.onAsked = follower::stop;
        follower.start();
        assertThat(log.lines()).isEmpty();
    }

    private void start() {
        follower.start();
        follower.stop();
    }

    private static final class FailingStore implements ChangeStore {

        private final AtomicInteger asked = new AtomicInteger();
        private @Nullable RuntimeException failure;
        private Runnable onAsked = () -> {};

        @Override
        public @Nullable Changes load(Changes known) {
            asked.incrementAndGet();
            onAsked.run();
            if (failure != null) {
                throw failure;
            }
            return null;
        }

        @Override
        public boolean save(Changes next) {
            return true;
        }

        @Override
        public String place() {
            return "a test";
        }
    }
}
