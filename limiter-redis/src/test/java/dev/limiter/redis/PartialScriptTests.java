package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A script that fails halfway, because of a missing permission, leaves a state that still enforces the limit. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartialScriptTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private RedisServer server;
    private StatefulRedisConnection<String, String> admin;
    private RedisClient client;
    private RedisRateLimiterStorage storage;

    @BeforeAll
    void start() {
        server = RedisServer.started();
        admin = server.connect();
        permitAllBut();
        client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withAuthentication("limits", "secret".toCharArray())
                .build());
        storage = RedisRateLimiterStorage.builder(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)))
                .timeout(Duration.ofSeconds(10))
                .timeSource(time)
                .build();
    }

    @AfterAll
    void stop() {
        storage.close();
        client.shutdown();
        server.close();
    }

    private void permitAllBut(String... missing) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add("limits")
                .add("reset")
                .add("on")
                .add(">secret")
                .add("~limiter:*");
        rights().filter(right -> !List.of(missing).contains(right)).forEach(arguments::add);
        admin.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    static Stream<String> rights() {
        return Arrays.stream(RedisErrors.RIGHTS.split(" "));
    }

    /** Starts a window, so that buckets leak nothing of what others count since its start. */
    private void beginHour() {
        long passed = Math.floorMod(time.epochNanos(), HOUR.toNanos());
        time.advance(HOUR.minusNanos(passed));
    }

    private int permitted(int requests, Rule... inTurn) {
        return (int) IntStream.range(0, requests)
                .filter(i -> isPermitted(inTurn[i % inTurn.length]))
                .count();
    }

    private boolean isPermitted(Rule rule) {
        try {
            return storage.decide(rule, "key", 1).permitted();
        } catch (StorageUnavailableException lacking) {
            return false;
        }
    }

    private static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(10, HOUR),
                Limit.fixedWindow(10, HOUR),
                Limit.slidingWindowCounter(10, HOUR),
                Limit.slidingWindowLog(10, HOUR),
                Limit.slidingWindowLog(10, HOUR.plusHours(1)));
    }

    @ParameterizedTest
    @MethodSource("rights")
    void noChangeOfAlgorithmLosesTheLimit(String right) {
        for (Limit from : limits()) {
            for (Limit to : limits()) {
                beginHour();
                String name = right + from + to;
                Rule before = Rule.of(name, from);
                Rule after = Rule.of(name, to);
                int permitted = permitted(4, before);
                permitAllBut(right);
                permitted += permitted(24, after, before);
                permitAllBut();
                permitted += permitted(24, before, after);
                assertThat(permitted)
                        .as("from %s to %s without %s", from, to, right)
                        .isLessThanOrEqualTo(10);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("rights")
    void noLogLosesPermits(String right) {
        Rule rule = Rule.of("log" + right, Limit.slidingWindowLog(10, MINUTE));
        assertThat(permitted(4, rule)).isEqualTo(4);
        time.advance(Duration.ofSeconds(20));
        assertThat(permitted(1, rule)).isEqualTo(1);
        permitAllBut(right);
        time.advance(Duration.ofSeconds(1));
        int recent = permitted(3, rule);
        time.advance(Duration.ofSeconds(45));
        // the first four have left the window, by 66 seconds
        int last = permitted(12, rule);
        permitAllBut();
        last += permitted(12, rule);
        assertThat(recent + last).isLessThanOrEqualTo(9);
        // those of the first 21 seconds have left it
        time.advance(Duration.ofSeconds(20));
        assertThat(last + permitted(12, rule)).isLessThanOrEqualTo(10);
        // all have left it
        time.advance(MINUTE.multipliedBy(2));
        assertThat(permitted(24, rule)).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"+zadd", "+zrem", "+zincrby", "+zscore", "+del", "+zrangebyscore"})
    void noExpiredHoldStaysCounted(String right) {
        Rule pool = Rule.of("expired" + right, Limit.concurrency(5));
        RedisRateLimiterStorage crashed = RedisRateLimiterStorage.builder(
                        new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)))
                .timeout(Duration.ofSeconds(10))
                .timeSource(time)
                .build();
        crashed.decide(List.of(pool.charge("key", 3)));
        time.advance(Duration.ofSeconds(15));
        Decision held = storage.decide(List.of(pool.charge("key", 1)));
        time.advance(Duration.ofSeconds(20));
        permitAllBut(right);
        isPermitted(pool);
        permitAllBut();
        assertThat(storage.peek(pool, "key").remaining())
                .isGreaterThanOrEqualTo(3)
                .isLessThanOrEqualTo(4);
        held.close();
        time.advance(HOUR);
        assertThat(storage.peek(pool, "key").remaining()).isEqualTo(5);
    }
}
