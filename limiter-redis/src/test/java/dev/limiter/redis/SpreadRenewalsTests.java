package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Renewals of many holds leave time for decisions: they are spread over seconds, in small calls, with few in progress.
 */
class SpreadRenewalsTests {

    private static final int MOST_HOLDS_OF_A_CALL = 200;
    private static final int MOST_CALLS = 32;

    /** The arguments of one call: the time of the renewal, then the holds. */
    private record Renewal(ByteBuffer key, List<ByteBuffer> arguments, CompletableFuture<byte[]> answer) {

        List<ByteBuffer> holds() {
            return arguments.subList(1, arguments.size());
        }
    }

    private static final class CountingRedis implements Redis {

        private final ConcurrentLinkedQueue<Renewal> calls = new ConcurrentLinkedQueue<>();
        private volatile boolean answering = true;
        private volatile boolean failing;

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            List<ByteBuffer> all =
                    List.of(arguments).stream().map(ByteBuffer::wrap).toList();
            Renewal call = new Renewal(ByteBuffer.wrap(keys[0]), all, new CompletableFuture<>());
            calls.add(call);
            if (failing) {
                call.answer.completeExceptionally(new IllegalStateException("failing"));
            } else if (answering || slot(keys[0]) == 1) {
                call.answer.complete(new byte[0]);
            }
            return call.answer;
        }

        /** Keys of the second server contain a comma. */
        @Override
        public int slot(byte[] key) {
            return new String(key, US_ASCII).contains(",") ? 1 : 0;
        }

        @Override
        public boolean isClustered() {
            return true;
        }

        @Override
        public String node(int slot) {
            return "server " + slot;
        }

        private long answered() {
            return calls.stream()
                    .filter(call -> call.answer.isDone() && !call.answer.isCompletedExceptionally())
                    .map(Renewal::key)
                    .distinct()
                    .count();
        }

        @Override
        public void close() {}
    }

    private final VirtualTime time = new VirtualTime();
    private final CountingRedis redis = new CountingRedis();
    private final PermitRenewals renewals = new PermitRenewals(redis, new ServerTime(time));

    private void hold(String key) {
        renewals.hold(key.getBytes(US_ASCII), 1, renewals.newName());
    }

    /** The longest time between two renewals is a third of the hold time. */
    private void passSeconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            time.advance(Duration.ofSeconds(1));
            renewals.renew();
        }
    }

    @Test
    void manyKeysAreNotRenewedInOneSecond() {
        int keys = 10_000;
        for (int i = 0; i < keys; i++) {
            hold("key" + i);
        }
        passSeconds(10);
        await(() -> redis.calls.size() == keys);
        assertThat(redis.calls.stream().map(Renewal::key).distinct()).hasSize(keys);
        assertThat(redis.calls.stream()
                        .collect(Collectors.groupingBy(call -> call.arguments().get(0), Collectors.counting()))
                        .values())
                .as("keys by the second of their renewal")
                .hasSizeGreaterThanOrEqualTo(5)
                .allMatch(some -> some < keys / 3);
    }

    @Test
    void manyHoldsOfAKeyAreRenewedInSmallCallsWithFewInProgress() {
        int holds = 100_000;
        for (int i = 0; i < holds; i++) {
            hold("key");
        }
        redis.answering = false;
        passSeconds(10);
        Set<ByteBuffer> renewed = ConcurrentHashMap.newKeySet();
        int answered = 0;
        while (renewed.size() < holds) {
            int before = answered;
            await(() -> redis.calls.size() > before);
            List<Renewal> underWay = redis.calls.stream().skip(answered).toList();
            assertThat(underWay).hasSizeLessThanOrEqualTo(MOST_CALLS);
            for (Renewal call : underWay) {
                assertThat(call.holds()).hasSizeLessThanOrEqualTo(MOST_HOLDS_OF_A_CALL);
                assertThat(renewed.addAll(call.holds())).isTrue();
                answered++;
                call.answer.complete(new byte[0]);
            }
        }
        assertThat(redis.calls).hasSize(holds / MOST_HOLDS_OF_A_CALL);
    }

    @Test
    void deadServerGetsFewCallsAndAllFailedOnesOnceItWorks() {
        int keys = 10_000;
        for (int i = 0; i < keys; i++) {
            hold("key" + i);
        }
        redis.failing = true;
        passSeconds(20);
        assertThat(redis.calls).isNotEmpty().hasSizeLessThanOrEqualTo(20 * MOST_CALLS);
        redis.failing = false;
        await(() -> {
            renewals.renew();
            return redis.answered() == keys;
        });
    }

    @Test
    void serverThatHangsGetsFewCallsAndBlocksNoOther() {
        int keys = 1_000;
        for (int i = 0; i < keys; i++) {
            hold("key" + i);
            hold("key," + i);
        }
        redis.answering = false;
        passSeconds(60);
        assertThat(redis.calls.stream().filter(call -> redis.slot(call.key.array()) == 0))
                .isNotEmpty()
                .hasSizeLessThanOrEqualTo(60 / 10 * MOST_CALLS);
        await(() -> redis.answered() == keys);

        redis.answering = true;
        redis.calls.forEach(call -> call.answer.complete(new byte[0]));
        await(() -> {
            renewals.renew();
            return redis.answered() == 2 * keys;
        });
    }
}
