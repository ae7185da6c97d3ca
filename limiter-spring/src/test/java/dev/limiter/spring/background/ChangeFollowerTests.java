package dev.limiter.spring.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.LogLines;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each start follows the changes once, so that no thread is needed. */
class ChangeFollowerTests {

    private final FailingStore store = new FailingStore();
    private final LogLines log = new LogLines();
    private final ChangeFollower follower = new ChangeFollower(TestRules.live(store), false, log);

    @Test
    void changesOfBeforeAreReadAtTheStart() {
        assertThat(follower.isRunning()).isFalse();
        follower.start();
        assertThat(follower.isRunning()).isTrue();
        assertThat(store.asked).isEqualTo(1);
        follower.start();
        assertThat(store.asked).isEqualTo(1);
    }

    @Test
    void storeThatFailsStopsNoStartAndIsToldOnce() {
        store.failure = new ChangeStoreException("no changes now", new IllegalStateException());
        start();
        start();
        assertThat(store.asked).isEqualTo(2);
        assertThat(log.lines()).containsExactly("WARN no changes now");

        store.failure = null;
        start();
        start();
        assertThat(log.lines()).hasSize(2).last().asString().startsWith("INFO").endsWith("are known again");
    }

    @Test
    void unexpectedFailureStopsNoStart() {
        store.failure = new IllegalStateException("broken");
        start();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("ERROR")
                .endsWith("cannot be followed; trying again");
    }

    /** The interrupt that ends the thread is told as a failure by the client of the store. */
    @Test
    void failureOfAStopIsNotTold() {
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

        private int asked;
        private @Nullable RuntimeException failure;
        private Runnable onAsked = () -> {};

        @Override
        public @Nullable Changes otherThan(Changes known) {
            asked++;
            onAsked.run();
            if (failure != null) {
                throw failure;
            }
            return null;
        }

        @Override
        public boolean replace(Changes former, Changes next) {
            return true;
        }
    }
}
