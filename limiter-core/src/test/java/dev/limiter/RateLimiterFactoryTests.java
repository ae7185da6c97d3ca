package dev.limiter;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spi.CompiledLimit;
import java.util.List;
import org.junit.jupiter.api.Test;

class RateLimiterFactoryTests {

    @Test
    void strategyWithoutAnAlgorithmIsReported() {
        assertThatThrownBy(() -> new RateLimiterFactory(List.of(new Mute())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Mute.class.getName())
                .hasMessageContaining("algorithm()");
    }

    /** A strategy that returns null, like a fresh mock. */
    @SuppressWarnings("NullAway")
    private static final class Mute implements RateLimiterStrategy {

        @Override
        public Algorithm algorithm() {
            return null;
        }

        @Override
        public CompiledLimit compile(Limit limit, long now) {
            return null;
        }
    }
}
