package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException.Reason;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A value that other software wrote to a key is not a state: it is neither used nor replaced. */
class ForeignStateTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final String prefix = "foreign-" + System.nanoTime();
    private final RedisRateLimiterStorage storage = RedisStorageProvider.of(null, prefix);
    private final RedisCommands<byte[], byte[]> server = SharedRedis.commands();

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(3, HOUR),
                Limit.tokenBucket(3, HOUR).warmUp(Duration.ofMinutes(1)),
                Limit.leakyBucket(3, HOUR),
                Limit.fixedWindow(3, HOUR),
                Limit.slidingWindowCounter(3, HOUR),
                Limit.slidingWindowLog(3, HOUR),
                Limit.concurrency(3));
    }

    private void assertBroken(Limit limit, String key, String written) {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> storage.decide(Rule.of("rule", limit), key, 1))
                    .as("%s under %s", limit, written)
                    .hasFieldOrPropertyWithValue("reason", Reason.BROKEN_STATE);
        }
    }

    /** A concurrency limit is also a sorted set. */
    @ParameterizedTest
    @MethodSource("limits")
    void aSortedSetIsNoState(Limit limit) {
        byte[] name = (prefix + ":{rule:set}").getBytes(StandardCharsets.UTF_8);
        for (double score : new double[] {1, 4e18}) {
            server.del(name);
            server.zadd(name, score, "longer than seven".getBytes(StandardCharsets.UTF_8));
            assertBroken(limit, "set", "" + score);
            assertThat(server.zcard(name)).isEqualTo(1);
            assertThat(server.pttl(name)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aHashIsNoState(Limit limit) {
        byte[] name = (prefix + ":{rule:hash}").getBytes(StandardCharsets.UTF_8);
        server.hset(name, name, name);
        assertBroken(limit, "hash", "hash");
        assertThat(server.hlen(name)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aTextIsNoState(Limit limit) {
        int number = 0;
        for (String text : List.of(
                "",
                " ",
                "7",
                "1234567890123456789",
                "alice@example.com",
                "{\"user\":\"alice\",\"cart\":[1,2]}",
                "Zoë, who is no state of a limit",
                "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "~".repeat(1000))) {
            String key = "key" + number++;
            byte[] name = (prefix + ":{rule:" + key + "}").getBytes(StandardCharsets.UTF_8);
            byte[] written = text.getBytes(StandardCharsets.UTF_8);
            server.set(name, written);
            assertBroken(limit, key, text);
            assertThat(server.get(name)).isEqualTo(written);
        }
    }

    /** A log is also a list: of its permits, its window, and pairs with permits that add up to the total. */
    @ParameterizedTest
    @MethodSource("limits")
    void aListIsNoState(Limit limit) {
        int number = 0;
        for (String text :
                List.of("1 2 3", "1 2 3 4", "1 2", "1", "4 2 3 1 3 2", "1 0 3 1", "a b c d", "1.5 2 3 1.5")) {
            String key = "list" + number++;
            byte[] name = (prefix + ":{rule:" + key + "}").getBytes(StandardCharsets.UTF_8);
            byte[][] written = Stream.of(text.split(" "))
                    .map(entry -> entry.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new);
            server.rpush(name, written);
            assertBroken(limit, key, text);
            assertThat(server.lrange(name, 0, -1)).containsExactly(written);
        }
    }
}
