package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Something happens to the server that two instances use. Their clients see no server error, get an answer to each
 * request in bounded time, and one more limit at most, which the instances grant in memory. Redis may grant again what
 * it has forgotten. Faults of a cluster, of Sentinel and of the network are those of the tests of limiter-redis.
 */
@Tag("long")
class RedisChaosTests {

    /**
     * The longest time of a request. A decision has 50 ms; the rest is for the processor, which two applications, their
     * clients and the servers share with other processes. A request that waits for a stopped server takes longer, since
     * the server is stopped for longer.
     */
    private static final Duration END = Duration.ofSeconds(8);

    private static final RedisServer redis = RedisServer.stopped();
    private static List<Instance> both;
    private ClosedLoopLoad load;

    @BeforeAll
    static void start() {
        redis.start();
        both = List.of(new Instance(redis.port()), new Instance(redis.port()));
    }

    @AfterAll
    static void stop() {
        both.forEach(Instance::close);
        redis.close();
    }

    /** Both instances are in Redis, and a third of the limit is used. */
    @BeforeEach
    void begin(TestInfo test) {
        awaitRedis();
        both.forEach(Instance::forgetCounts);
        List<Integer> ports = both.stream().map(Instance::port).toList();
        load = new ClosedLoopLoad(test.getDisplayName(), ports, "/local", "/closed");
        load.awaitMore("/local", 200, Instance.LIMIT / 3);
        load.endCalm();
    }

    /** Also after a failure the next one has a server that works. */
    @AfterEach
    void bringBack() {
        load.close();
        redis.resume();
        redis.ask(commands -> commands.configSet("maxmemory", "0"));
    }

    @Test
    void killedAndRestartedEmpty() {
        redis.kill();
        awaitOneMoreLimit();
        Permitted forgotten = permitted();
        redis.start();
        awaitRedis();
        assertHeld(forgotten);
    }

    @Test
    void stoppedForAWhile() {
        redis.pause();
        long stopped = System.nanoTime();
        awaitOneMoreLimit();
        RealTime.passUntil(stopped + END.plusSeconds(2).toNanos());
        assertThat(both).as("nobody has answered").allMatch(Instance::hasGivenUpRedis);
        assertThat(count(Outcome.FAILED_LOCAL)).isLessThanOrEqualTo(Instance.LIMIT);
        redis.resume();
        awaitRedis();
        assertHeld(Permitted.NOTHING);
    }

    @Test
    void scriptsForgotten() {
        redis.ask(commands -> commands.scriptFlush());
        assertHeld(Permitted.NOTHING);
    }

    @Test
    void allForgotten() {
        redis.ask(commands -> commands.flushall());
        assertHeld(permitted());
    }

    @Test
    void full() {
        redis.ask(commands -> commands.configSet("maxmemory", "1"));
        awaitOneMoreLimit();
        redis.ask(commands -> commands.configSet("maxmemory", "0"));
        awaitRedis();
        assertHeld(Permitted.NOTHING);
    }

    private void awaitRedis() {
        await(() -> both.stream().allMatch(Instance::usesRedis));
    }

    /** Each instance has granted its share. */
    private void awaitOneMoreLimit() {
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 500);
        assertThat(count(Outcome.FAILED_LOCAL)).as("granted in memory").isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(count(Outcome.PERMITTED)).as("granted by Redis").isLessThanOrEqualTo(Instance.LIMIT);
    }

    /** Permits that Redis has granted by now, answered or on their way to clients. */
    private Permitted permitted() {
        long underWay = (long) ClosedLoopLoad.CLIENTS * both.size();
        return new Permitted(count(Outcome.PERMITTED) + underWay, load.count("/closed", 200) + underWay);
    }

    /** Permits of each rule. */
    private record Permitted(long local, long closed) {

        static final Permitted NOTHING = new Permitted(0, 0);
    }

    /** {@code forgotten}: the permits that Redis may have granted and does not remember. */
    private void assertHeld(Permitted forgotten) {
        // until nobody is permitted any more
        load.awaitMore("/local", 429, 500);
        load.awaitMore("/closed", 429, 500);
        load.close();
        assertThat(load.longest()).isLessThan(END);
        assertThat(load.answers()).containsOnlyKeys("/local 200", "/local 429", "/closed 200", "/closed 429");
        long inRedis = count(Outcome.PERMITTED);
        long inMemory = count(Outcome.FAILED_LOCAL);
        assertThat(inRedis + inMemory).isEqualTo(load.count("/local", 200));
        assertThat(inRedis).isLessThanOrEqualTo(Instance.LIMIT + forgotten.local());
        assertThat(inMemory).isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(load.count("/closed", 200)).isLessThanOrEqualTo(Instance.LIMIT + forgotten.closed());
    }

    private static long count(Outcome outcome) {
        return both.stream()
                .mapToLong(instance -> instance.count("local", outcome))
                .sum();
    }
}
