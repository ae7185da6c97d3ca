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
import org.junit.jupiter.api.Test;

/** A call removes at most a thousand expired holds of concurrency limits, because it blocks the server. */
class ManyHoldsTests {

    private static final int STORED = 10_000;

    private final VirtualTime time = new VirtualTime();
    private final String prefix = "holds-" + System.nanoTime();
    private final RedisRateLimiterStorage storage = RedisStorageProvider.of(time, prefix);
    private final RedisCommands<byte[], byte[]> server = SharedRedis.commands();

    private byte[] state(Rule rule) {
        return (prefix + ":{" + rule.name() + ":key}" + rule.limits().get(0).name()).getBytes(StandardCharsets.UTF_8);
    }

    /** Stores holds of one permit each: some expired a millisecond ago, the others last for a minute. */
    private void store(Rule rule, int expired) {
        byte[] key = state(rule);
        long now = Math.floorDiv(time.epochNanos(), 1000);
        List<ScoredValue<byte[]>> holds = new ArrayList<>();
        holds.add(ScoredValue.just((double) -STORED, "t".getBytes(StandardCharsets.UTF_8)));
        for (int i = 0; i < STORED; i++) {
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

    private Decision take(Rule rule, long permits) {
        return storage.decide(List.of(rule.charge("key", permits)));
    }

    @Test
    void removesABoundedNumberOfExpiredHoldsInACall() {
        Rule rule = Rule.of("expired", Limit.concurrency(STORED));
        store(rule, STORED);
        Decision permitted = take(rule, 1);
        assertThat(permitted.permitted()).isTrue();
        assertThat(permitted.remaining()).isEqualTo(1000 - 1);
        // the total, the remaining holds, and the new one
        assertThat(server.zcard(state(rule))).isEqualTo(1 + STORED - 1000 + 1);
        for (int call = 2; call <= STORED / 1000; call++) {
            assertThat(take(rule, 1).remaining()).isEqualTo(call * 1000 - call);
        }
        assertThat(server.zcard(state(rule))).isEqualTo(1 + STORED / 1000);
    }

    @Test
    void removesABoundedNumberHoweverManyStatesACallHas() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Rule rule = Rule.of("expired" + i, Limit.concurrency(STORED));
            store(rule, STORED);
            rules.add(rule);
        }
        Decision permitted =
                storage.decide(rules.stream().map(rule -> rule.charge("key")).toList());
        assertThat(permitted.permitted()).isTrue();
        // each state gets its part of a thousand holds; it is read twice
        long left = STORED - 2 * (1000 / 3);
        assertThat(rules).extracting(rule -> server.zcard(state(rule))).containsOnly(1 + left + 1);
    }

    @Test
    void countsUnexpiredHolds() {
        Rule rule = Rule.of("some", Limit.concurrency(STORED));
        store(rule, 10);
        assertThat(take(rule, 11).permitted()).isFalse();
        assertThat(take(rule, 10).permitted()).isTrue();
        assertThat(take(rule, 1).permitted()).isFalse();
    }

    @Test
    void areCountedByAnotherAlgorithm() {
        Rule rule = Rule.of("changing", Limit.concurrency(STORED));
        store(rule, 10);
        Rule window = Rule.of("changing", Limit.fixedWindow(2 * STORED, Duration.ofDays(1)));
        assertThat(take(window, 1).remaining()).isEqualTo(STORED + 10 - 1);
    }

    @Test
    void doNotCountForAnotherAlgorithmWhenTheLastHasExpired() {
        Rule rule = Rule.of("ended", Limit.concurrency(STORED));
        store(rule, STORED);
        Rule window = Rule.of("ended", Limit.fixedWindow(2 * STORED, Duration.ofDays(1)));
        assertThat(take(window, 1).remaining()).isEqualTo(2 * STORED - 1);
    }
}
