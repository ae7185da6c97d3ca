package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rejections with a clock that the test sets. */
class KnownRejectionsTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final Returns NOTHING_RETURNED = new Returns() {
        @Override
        public void giveBack(RedisDecision decision, boolean held) {}

        @Override
        public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold) {}
    };

    private final AtomicLong now = new AtomicLong(-5);
    private final KnownRejections rejections = new KnownRejections(now::get);
    private final Rule rule = Rule.of("rule", Limit.fixedWindow(5, Duration.ofHours(1)));
    private final RemoteRule remote = new RemoteRule(rule, "", 30_000_000, 0);

    /** Records that a key has no permits left for an hour. */
    private void reject(Charge charge) {
        long micros = TimeUnit.HOURS.toMicros(1);
        long[] numbers = {0, micros, micros, 0, 0, 0};
        ScriptReply answer =
                new ScriptReply(1, false, 0, 0, new ServerTime(null), 0, new byte[0], ByteBuffer.allocate(0));
        RedisDecision rejection = new RedisDecision(NOTHING_RETURNED, charge, remote, numbers, answer, false, 0);
        rejections.remember(charge, List.of(rejection), rejections.stamp(List.of(charge)), now.get());
    }

    private boolean isKnown(Charge charge) {
        return rejections.of(charge) != null;
    }

    @Test
    void aRejectionIsCheckedAfterASecond() {
        Charge charge = rule.charge("key");
        reject(charge);
        now.addAndGet(SECOND - 1);
        assertThat(isKnown(charge)).isTrue();
        now.addAndGet(1);
        assertThat(isKnown(charge)).isFalse();
    }

    /** Also while the reply to that request has not arrived, or never does. */
    @Test
    void onlyOneRequestPerSecondCallsRedis() {
        Charge charge = rule.charge("key");
        reject(charge);
        for (int second = 1; second <= 10; second++) {
            now.addAndGet(SECOND);
            assertThat(isKnown(charge)).as("first one of second %s", second).isFalse();
            now.addAndGet(SECOND / 1000);
            assertThat(IntStream.range(0, 100)).allMatch(i -> isKnown(charge));
        }
    }

    /** Applies while Redis cannot be called. */
    @Test
    void aRejectionLastsWhileRedisCannotBeCalled() {
        Charge charge = rule.charge("key");
        reject(charge);
        for (int second = 1; second < 3600; second++) {
            now.addAndGet(SECOND);
            assertThat(rejections.lasting(charge)).isNotNull();
        }
        assertThat(isKnown(charge)).as("the next request calls Redis").isFalse();
        now.addAndGet(SECOND);
        assertThat(rejections.lasting(charge)).isNull();
    }

    @Test
    void dropsTheOldestAndKeepsRecording() {
        int many = 3 * KnownRejections.MAX_REQUESTS;
        for (int i = 0; i < many; i++) {
            reject(rule.charge("key" + i));
        }
        assertThat(isKnown(rule.charge("key0"))).isFalse();
        assertThat(IntStream.range(many - KnownRejections.MAX_REQUESTS / 2, many))
                .allMatch(i -> isKnown(rule.charge("key" + i)));
        long known = IntStream.range(0, many)
                .filter(i -> isKnown(rule.charge("key" + i)))
                .count();
        assertThat(known).isLessThanOrEqualTo(KnownRejections.MAX_REQUESTS);
    }
}
