package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A call reads at most a thousand entries of a log, and removes at most a thousand expired holds, however many are
 * stored, because it blocks the server.
 */
class BigLogTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Ten times as many entries as a log may have; older versions had no limit. */
    private static final int STORED = 100_000;

    private static final int HOLDS = 10_000;

    private final VirtualTime time = new VirtualTime();
    private final String prefix = "big-" + System.nanoTime();
    private final RedisRateLimiterStorage storage = RedisStorageProvider.of(time, prefix);
    private final RedisCommands<byte[], byte[]> server = SharedRedis.commands();

    private byte[] state(Rule rule) {
        return (prefix + ":{" + rule.name() + ":key}" + rule.limits().get(0).name()).getBytes(StandardCharsets.UTF_8);
    }

    private void store(Rule rule) {
        byte[] key = state(rule);
        server.rpush(key, text(STORED), text(SECOND.toNanos() / 1000));
        long now = Math.floorDiv(time.epochNanos(), 1000);
        byte[][] some = new byte[2000][];
        for (int i = 0; i < STORED; i += 1000) {
            for (int j = 0; j < 1000; j++) {
                some[2 * j] = text(now - STORED + i + j);
                some[2 * j + 1] = text(1);
            }
            server.rpush(key, some);
        }
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    private Decision take(Rule rule, long permits) {
        return storage.decide(List.of(rule.charge("key", permits)));
    }

    @Test
    void removesABoundedNumberPerCall() {
        Rule rule = Rule.of("leaving", Limit.slidingWindowLog(10_000, SECOND));
        store(rule);
        // the last one is still there
        time.advance(SECOND.minusNanos(2000));
        Decision rejected = take(rule, 1);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter()).contains(Duration.ofNanos(1000));
        assertThat(server.llen(state(rule))).isEqualTo(2 + 2 * (STORED - 1000));
        int calls = 2;
        while (!take(rule, 1).permitted()) {
            assertThat(++calls).isLessThan(100);
        }
        // entries that have left no longer count once there is space
        assertThat(calls).isEqualTo(91);
    }

    /** Entries beyond the first ones are not read for a retry time, which is then too early. */
    @Test
    void readsABoundedNumberForAllRequestsOfACall() {
        List<Rule> rules = IntStream.range(0, 6)
                .mapToObj(i -> Rule.of("lowered" + i, Limit.slidingWindowLog(10_000, SECOND)))
                .toList();
        rules.forEach(this::store);

        Decision rejected =
                storage.decide(rules.stream().map(rule -> rule.charge("key")).toList());

        // each log gets its part of four thousand entries
        assertThat(rejected.parts())
                .extracting(part -> part.retryAfter().orElseThrow())
                .hasSize(6)
                .containsOnly(Duration.ofNanos(900_666_000));
        // these were never permitted and have no expiry
        rules.forEach(rule -> server.del(state(rule)));
    }

    @Test
    void isTakenOverByAnotherAlgorithmAsAWhole() {
        Rule rule = Rule.of("changing", Limit.slidingWindowLog(10_000, SECOND));
        store(rule);
        Rule bucket = Rule.of("changing", Limit.fixedWindow(1_000_000, Duration.ofMinutes(1)));
        assertThat(take(bucket, 1).remaining()).isEqualTo(1_000_000 - STORED - 1);
    }

    @Test
    void movesBackWithTheClockAsAWhole() {
        Rule rule = Rule.of("stepping", Limit.slidingWindowLog(10_000, SECOND));
        store(rule);
        time.set(time.now() - Duration.ofHours(1).toNanos());
        assertThat(take(rule, 1).permitted()).isFalse();
        assertThat(server.llen(state(rule))).isEqualTo(4);
        time.advance(SECOND);
        assertThat(take(rule, 10_000).permitted()).isTrue();
    }

    /** Stores holds of one permit each: some expired a millisecond ago, the others last for a minute. */
    private void storeHolds(Rule rule, int expired) {
        byte[] key = state(rule);
        long now = Math.floorDiv(time.epochNanos(), 1000);
        List<ScoredValue<byte[]>> holds = new ArrayList<>();
        holds.add(ScoredValue.just((double) -HOLDS, "t".getBytes(StandardCharsets.UTF_8)));
        for (int i = 0; i < HOLDS; i++) {
            byte[] member = ByteBuffer.allocate(23)
                    .putInt(0)
                    .put(new byte[] {0, 0, 1})
                    .putLong(0)
                    .putLong(i)
                    .array();
            holds.add(ScoredValue.just((double) (i < expired ? now - 1000 : now + 60_000_000), member));
        }
        @SuppressWarnings({"unchecked", "rawtypes"})
        ScoredValue<byte[]>[] all = holds.toArray(new ScoredValue[0]);
        server.zadd(key, all);
    }

    @Test
    void removesABoundedNumberOfExpiredHoldsInACall() {
        Rule rule = Rule.of("expired", Limit.concurrency(HOLDS));
        storeHolds(rule, HOLDS);
        Decision permitted = take(rule, 1);
        assertThat(permitted.permitted()).isTrue();
        assertThat(permitted.remaining()).isEqualTo(1000 - 1);
        // the total, the remaining holds, and the new one
        assertThat(server.zcard(state(rule))).isEqualTo(1 + HOLDS - 1000 + 1);
        for (int call = 2; call <= HOLDS / 1000; call++) {
            assertThat(take(rule, 1).remaining()).isEqualTo(call * 1000 - call);
        }
        assertThat(server.zcard(state(rule))).isEqualTo(1 + HOLDS / 1000);
    }

    @Test
    void removesABoundedNumberHoweverManyStatesACallHas() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Rule rule = Rule.of("expired" + i, Limit.concurrency(HOLDS));
            storeHolds(rule, HOLDS);
            rules.add(rule);
        }
        Decision permitted =
                storage.decide(rules.stream().map(rule -> rule.charge("key")).toList());
        assertThat(permitted.permitted()).isTrue();
        // each state gets its part of a thousand holds; it is read twice
        long left = HOLDS - 2 * (1000 / 3);
        assertThat(rules).extracting(rule -> server.zcard(state(rule))).containsOnly(1 + left + 1);
    }
}
