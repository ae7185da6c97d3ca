package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentMinutesTests {

    private final AtomicInteger begun = new AtomicInteger();
    private final RecentMinutes<Integer> minutes = new RecentMinutes<>(begun::incrementAndGet);

    private void pass(int seconds) {
        IntStream.range(0, seconds).forEach(i -> minutes.sample());
    }

    @Test
    void lastSixtySamples() {
        pass(RecentMinutes.SAMPLES_PER_MINUTE - 1);
        assertThat(minutes.current()).isEqualTo(1);

        pass(1);
        assertThat(minutes.current()).isEqualTo(2);
        assertThat(minutes.all()).containsExactly(1, 2);
    }

    @Test
    void areRememberedForFiveMore() {
        pass(RecentMinutes.SAMPLES_PER_MINUTE * RecentMinutes.WHOLE);
        assertThat(minutes.all()).containsExactly(1, 2, 3, 4, 5, 6);

        pass(RecentMinutes.SAMPLES_PER_MINUTE * 10);
        assertThat(minutes.all()).containsExactly(11, 12, 13, 14, 15, 16);
    }
}
