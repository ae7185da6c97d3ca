package dev.limiter.spring.reload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.TimeSource;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Each start follows the changes once, so that no thread is needed. */
@ExtendWith(OutputCaptureExtension.class)
class ChangeFollowerTests {

    private final FailingStore store = new FailingStore();
    private final ChangeFollower follower = new ChangeFollower(TestRules.live(store, TimeSource.system()), false);

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
    void storeThatFailsStopsNoStartAndIsToldOnce(CapturedOutput told) {
        store.failure = new ChangeStoreException("no changes now", new IllegalStateException());
        start();
        start();
        assertThat(store.asked).isEqualTo(2);
        assertThat(told).containsOnlyOnce("no changes now");

        store.failure = null;
        start();
        start();
        assertThat(told).containsOnlyOnce("are known again");
    }

    @Test
    void otherFailuresStopNoStartEither(CapturedOutput told) {
        store.failure = new IllegalStateException("broken");
        start();
        assertThat(told).contains("cannot be followed; trying again");
    }

    private void start() {
        follower.start();
        follower.stop();
    }

    private static final class FailingStore implements ChangeStore {

        private int asked;
        private @Nullable RuntimeException failure;

        @Override
        public @Nullable Changes otherThan(Changes known) {
            asked++;
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
