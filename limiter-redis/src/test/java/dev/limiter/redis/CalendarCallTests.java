package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageUnavailableException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests that may have to be sent again with other calendar boundaries. */
class CalendarCallTests {

    /** Leaves the replies to the test. */
    private static final class ManualRedis extends FakeRedis {

        private final List<CompletableFuture<byte[]>> calls = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            CompletableFuture<byte[]> call = new CompletableFuture<>();
            calls.add(call);
            return call;
        }

        void grant(int call) {
            calls.get(call)
                    .complete(ByteBuffer.allocate(Integer.BYTES + 8 * Double.BYTES)
                            .putInt(8 * Double.BYTES)
                            .array());
        }

        void isOutside(int call) {
            calls.get(call)
                    .complete(ByteBuffer.allocate(Integer.BYTES + Double.BYTES)
                            .putInt(Double.BYTES)
                            .array());
        }
    }

    private final ManualRedis redis = new ManualRedis();
    private final RequestBatcher batcher = new RequestBatcher(redis, Duration.ofHours(1), new StorageStatistics());
    private final ServerTime time = new ServerTime(TimeSource.system());
    private final AtomicInteger givenBack = new AtomicInteger();

    private CompletableFuture<Long> ask() {
        Charge charge = Rule.of("rule", Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC))
                .charge("key", 2);
        RemoteRule rule = new RemoteRule(charge.rule(), "", PermitRenewals.MICROS, 0);
        return new Call(batcher, time, new PermitRenewals(redis, time), 0, false)
                .add(charge, rule, rule.keys("key"))
                .take(1, 1, ScriptReply::taken, late -> givenBack.incrementAndGet());
    }

    @Test
    void isNotSentAgainAfterItsCallerHasGone() {
        CompletableFuture<Long> answer = ask();
        answer.cancel(true);
        redis.isOutside(0);
        assertThat(redis.calls).hasSize(1);
        assertThat(givenBack).hasValue(0);
        // the next request has the calendar of the server's time, which is early in 1970
        assertThat(time.serverMicros()).isLessThan(Duration.ofDays(1).toNanos() / 1000);
    }

    @Test
    void isUsedOrReturnedAtAnyAttempt() {
        for (int outside = 0; outside < 3; outside++) {
            redis.calls.clear();
            givenBack.set(0);
            CompletableFuture<Long> taken = askedAfter(outside);
            redis.grant(outside);
            assertThat(taken).isCompletedWithValue(0L);
            taken.cancel(true);
            assertThat(givenBack).hasValue(0);

            redis.calls.clear();
            CompletableFuture<Long> cancelled = askedAfter(outside);
            cancelled.cancel(true);
            redis.grant(outside);
            assertThat(givenBack).hasValue(1);
        }
    }

    private CompletableFuture<Long> askedAfter(int outside) {
        CompletableFuture<Long> answer = ask();
        for (int i = 0; i < outside; i++) {
            redis.isOutside(i);
        }
        assertThat(redis.calls).hasSize(outside + 1);
        return answer;
    }

    @Test
    void failsAsTheCallFailsAtAnyAttempt() {
        for (int outside = 0; outside < 3; outside++) {
            redis.calls.clear();
            CompletableFuture<Long> answer = askedAfter(outside);
            redis.calls.get(outside).completeExceptionally(new IllegalStateException("broken"));
            assertThat(answer)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void failsIfTheClockOfTheServerJumps() {
        CompletableFuture<Long> answer = askedAfter(2);
        redis.isOutside(2);
        assertThat(redis.calls).hasSize(3);
        assertThat(answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StorageUnavailableException.class);
    }
}
