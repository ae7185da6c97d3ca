package dev.limiter.spring.operate.series;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecondsRingTests {

    @Test
    void remembersTheLastFiveMinutes() {
        SecondsRing ring = new SecondsRing();
        for (int sample = 1; sample <= 1000; sample++) {
            ring.set(sample, sample);
        }
        assertThat(ring.range(998, 1000)).containsExactly(998, 999, 1000);
        assertThat(ring.range(701, 1000)).hasSize(300).startsWith(701, 702).endsWith(1000);
        assertThat(ring.sum()).isEqualTo((701 + 1000) * 300 / 2);
    }
}
