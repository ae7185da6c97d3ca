package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Converts turns from the clock of a server to that of an instance. */
class ServerTimeTests {

    private static final Duration LINE = Duration.ofMillis(1);
    private static final long DELAY = Duration.ofMillis(20).toNanos();

    private final VirtualTime clock = new VirtualTime();
    private final ServerTime time = new ServerTime(null, clock);

    /** How far the server's clock is ahead. */
    private Duration ahead = Duration.ofHours(1);

    private long decided;

    @BeforeEach
    void aFastAnswer() {
        turn(Duration.ZERO);
    }

    /**
     * Returns the turn of a request, minus its delay and the time of the decision: how late the request is permitted.
     */
    private Duration turn(Duration readLate) {
        long asked = clock.epochNanos();
        clock.advance(LINE);
        decided = clock.epochNanos();
        long there = (decided + ahead.toNanos()) / 1000;
        clock.advance(LINE.plus(readLate));
        return Duration.ofNanos(time.turn(there, DELAY / 1000, asked) - DELAY - decided);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 30, 500})
    void isAsLateAsTheFastestReplyHoweverLateAReplyIsRead(int millis) {
        assertThat(turn(Duration.ofMillis(millis))).isEqualTo(LINE);
    }

    @ParameterizedTest
    @ValueSource(ints = {-3600, -1, 1, 3600})
    void isBetweenRequestAndReplyWhenAClockSteps(int seconds) {
        ahead = ahead.plusSeconds(seconds);
        assertThat(turn(Duration.ofMillis(5))).isBetween(LINE.negated(), LINE.plusMillis(5));
    }

    @ParameterizedTest
    @ValueSource(ints = {-3600, 3600})
    void isRightAgainAMinuteAfterAClockHasStepped(int seconds) {
        ahead = ahead.plusSeconds(seconds);
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofSeconds(31));
            turn(Duration.ZERO);
        }
        assertThat(turn(Duration.ofMillis(5))).isEqualTo(LINE);
    }
}
