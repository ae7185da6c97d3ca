package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Background work survives failures and ends when the application stops. */
@Timeout(60)
class BackgroundTaskTests {

    private static final Duration SOON = Duration.ofNanos(1);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void runThatFailsIsNotTheLast(boolean error) throws Exception {
        CountDownLatch runs = new CountDownLatch(2);
        BackgroundTask task = new BackgroundTask("test", SOON, () -> {
            runs.countDown();
            if (runs.getCount() > 0) {
                if (error) {
                    throw new OutOfMemoryError("on purpose");
                }
                throw new IllegalStateException("the first run fails");
            }
        });
        task.start();
        runs.await();
        task.stop();
        assertThat(task.isRunning()).isFalse();
    }

    @Test
    void runsThatAllFailAreLoggedOnce() throws Exception {
        CountDownLatch runs = new CountDownLatch(5);
        List<String> messages = new CopyOnWriteArrayList<>();
        Log logger = new NoOpLog() {
            @Override
            public void error(Object message, Throwable failure) {
                messages.add(String.valueOf(message));
            }
        };
        BackgroundTask task = new BackgroundTask(
                "test",
                SOON,
                () -> {
                    runs.countDown();
                    throw new IllegalStateException("each run fails");
                },
                logger);
        task.start();
        runs.await();
        task.stop();
        assertThat(messages).containsExactly("A run of test failed; it will run again");
    }

    @Test
    void stopInterruptsARunAndWaitsForItsEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        BackgroundTask task = new BackgroundTask("test", SOON, () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await(60, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                ended.set(true);
            }
        });
        task.start();
        begun.await();
        task.stop();
        assertThat(ended).isTrue();
    }
}
