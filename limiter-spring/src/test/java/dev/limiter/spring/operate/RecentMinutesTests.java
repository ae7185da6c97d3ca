package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.TimeSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class RecentMinutesTests {

    private static final long MINUTE = 60_000_000_000L;

    private final AtomicLong now = new AtomicLong(MINUTE * 30_000_000);
    private final TimeSource clock = now::get;
    private final RecentMinutes<LongAdder> minutes = new RecentMinutes<>(clock, LongAdder::new);

    private long sum() {
        return minutes.all().stream().mapToLong(LongAdder::sum).sum();
    }

    @Test
    void rememberAMinuteForFiveMore() {
        minutes.current().increment();
        for (int i = 0; i < RecentMinutes.WHOLE; i++) {
            now.addAndGet(MINUTE);
            assertThat(sum()).isEqualTo(1);
        }
        now.addAndGet(MINUTE);
        assertThat(sum()).isZero();
    }

    @Test
    void sumUpThoseMinutesAlone() {
        for (int i = 0; i < 20; i++) {
            minutes.current().add(i);
            now.addAndGet(MINUTE);
        }
        // of the minute under way, there is nothing yet
        assertThat(sum()).isEqualTo(15 + 16 + 17 + 18 + 19);
    }

    @Test
    void goOnWithAClockThatIsSetBack() {
        minutes.current().increment();
        now.addAndGet(-MINUTE * 6);
        minutes.current().increment();
        assertThat(minutes.current().sum()).isEqualTo(2);
    }

    /** No minute is made twice. */
    @Test
    void loseNothingOfThreadsThatBeginAMinuteTogether() throws InterruptedException {
        int threads = 4;
        int rounds = 300;
        for (int round = 0; round < rounds; round++) {
            now.addAndGet(MINUTE);
            CountDownLatch begun = new CountDownLatch(threads);
            Thread[] all = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                all[i] = new Thread(() -> {
                    begun.countDown();
                    while (begun.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    minutes.current().increment();
                });
                all[i].start();
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertThat(minutes.current().sum()).isEqualTo(threads);
        }
    }
}
