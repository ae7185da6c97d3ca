package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A call reads at most a thousand entries of a log, however many are stored, because it blocks the server. */
class BigLogTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Ten times as many entries as a log may have; older versions had no limit. */
    private static final int STORED = 100_000;

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
    void removesAllAtOnceWhenNothingCounts() {
        Rule rule = Rule.of("left", Limit.slidingWindowLog(10_000, SECOND));
        store(rule);
        time.advance(SECOND);
        assertThat(take(rule, 10_000).permitted()).isTrue();
        assertThat(server.llen(state(rule))).isEqualTo(4);
    }

    @Test
    void expiredEntriesNeverRejectARequestForOnePermit() {
        Rule rule = Rule.of("room", Limit.slidingWindowLog(10_000, SECOND));
        for (int i = 0; i < 2000; i++) {
            time.advance(1000);
            take(rule, 5);
        }
        time.advance(SECOND.minusNanos(1_000_000));
        Decision permitted = take(rule, 5);
        assertThat(permitted.permitted()).isTrue();
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
}
