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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that may have to be sent again with other calendar boundaries. */
class CalendarCallTests {

    /** The number of calls in progress from which requests are batched. */
    private static final int LITTLE = 4;

    /** Leaves the replies to the test. */
    private static final class ManualRedis implements Redis {

        private final List<CompletableFuture<byte[]>> calls = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            CompletableFuture<byte[]> call = new CompletableFuture<>();
            calls.add(call);
            return call;
        }

        @Override
        public int slot(byte[] key) {
            return 0;
        }

        @Override
        public void close() {}

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
    private Runnable whenTheClockIsRead = () -> {};
    private final ServerTime time = new ServerTime(() -> {
        whenTheClockIsRead.run();
        return TimeSource.system().epochNanos();
    });
    private final AtomicInteger givenBack = new AtomicInteger();

    private CompletableFuture<Long> ask() {
        Charge charge = Rule.of("rule", Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC))
                .charge("key", 2);
        RemoteRule rule = new RemoteRule(charge.rule(), "", PermitRenewals.MICROS, 0);
        return new Call(batcher, time, new PermitRenewals(redis, time), 0, false)
                .add(charge, rule, rule.keys("key"))
                .take(1, 1, ScriptReply::taken, late -> givenBack.incrementAndGet());
    }

    /** Simulates a low latency, with {@code underWay} calls in progress. */
    private void keepBusy(int underWay) {
        sendEmptyRequest();
        redis.isOutside(0);
        redis.calls.clear();
        for (int i = 0; i < underWay; i++) {
            sendEmptyRequest();
        }
        assertThat(redis.calls).hasSize(underWay);
    }

    private void sendEmptyRequest() {
        var unused = batcher.submit(
                0,
                new Request<>(
                        LuaAlgorithm.BUCKET.bit(),
                        new byte[][] {{1}},
                        new byte[] {1},
                        1,
                        null,
                        (answer, position) -> true,
                        any -> {}));
    }

    @Test
    void isNotSentAfterItsCallerHasGone() {
        keepBusy(LITTLE);
        CompletableFuture<Long> answer = ask();
        answer.cancel(true);
        redis.isOutside(0);
        assertThat(redis.calls).hasSize(LITTLE);
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
    void isNotSentAgainIfItsCallerGivesUpInTheMeantime() {
        keepBusy(0);
        CompletableFuture<Long> answer = ask();
        for (int i = 0; i < LITTLE; i++) {
            sendEmptyRequest();
        }
        redis.isOutside(0);
        assertThat(redis.calls).hasSize(LITTLE + 1);
        answer.completeExceptionally(new IllegalStateException("given up"));
        redis.isOutside(1);
        assertThat(redis.calls).hasSize(LITTLE + 1);
    }

    /** The first read sets the time of the server, the second one is that of the next attempt. */
    @Test
    void isNotSentAgainIfItsCallerGivesUpDuringTheRepetition() {
        keepBusy(0);
        CompletableFuture<Long> answer = ask();
        for (int i = 0; i < LITTLE; i++) {
            sendEmptyRequest();
        }
        AtomicInteger readings = new AtomicInteger();
        whenTheClockIsRead = () -> {
            if (readings.incrementAndGet() == 2) {
                answer.cancel(true);
            }
        };
        redis.isOutside(0);
        assertThat(answer).isCancelled();
        redis.isOutside(1);
        assertThat(redis.calls).hasSize(LITTLE + 1);
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

    /** The grant of the second attempt and the cancellation happen at the same time. */
    @Test
    @Tag("race")
    void isEitherUsedOrReturned() throws Exception {
        int late = 0;
        CyclicBarrier both = new CyclicBarrier(2);
        for (int i = 0; i < 1_000; i++) {
            redis.calls.clear();
            CompletableFuture<Long> answer = ask();
            CompletableFuture<Void> cancelling = CompletableFuture.runAsync(() -> {
                await(both);
                answer.cancel(true);
            });
            await(both);
            redis.isOutside(0);
            boolean granted = redis.calls.size() == 2;
            if (granted) {
                redis.grant(1);
            }
            cancelling.join();
            late += granted && answer.isCancelled() ? 1 : 0;
            assertThat(givenBack).hasValue(late);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
