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
 * Faults of the server that two instances share. Clients get no server errors, and each response within a bounded time.
 * At most one more limit is granted in memory, and what Redis has forgotten. Faults of clusters, Sentinel and the
 * network are covered by the tests of limiter-redis.
 */
@Tag("long")
class RedisChaosTests {

    /**
     * The maximum time of a request. A decision has 50 ms; the rest allows for the CPU that two applications, clients
     * and servers share with other processes. The server is stopped for longer than this, so that waiting for it would
     * be noticed.
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

    /** Waits until both instances use Redis, and a third of the limit is used. */
    @BeforeEach
    void begin(TestInfo test) {
        awaitRedis();
        both.forEach(Instance::forgetCounts);
        List<Integer> ports = both.stream().map(Instance::port).toList();
        load = new ClosedLoopLoad(test.getDisplayName(), ports, "/local", "/closed");
        load.awaitMore("/local", 200, Instance.LIMIT / 3);
        load.endCalm();
    }

    /** Restarts the server even after a failure, for the next test. */
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
        assertThat(both).as("no reply").allMatch(Instance::hasGivenUpRedis);
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

    /** Waits until each instance has granted its share. */
    private void awaitOneMoreLimit() {
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 500);
        assertThat(count(Outcome.FAILED_LOCAL)).as("granted in memory").isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(count(Outcome.PERMITTED)).as("granted by Redis").isLessThanOrEqualTo(Instance.LIMIT);
    }

    /** Returns the permits that Redis has granted so far, including responses on their way to clients. */
    private Permitted permitted() {
        long underWay = (long) ClosedLoopLoad.CLIENTS * both.size();
        return new Permitted(count(Outcome.PERMITTED) + underWay, load.count("/closed", 200) + underWay);
    }

    /** Permits by rule. */
    private record Permitted(long local, long closed) {

        static final Permitted NOTHING = new Permitted(0, 0);
    }

    /** @param forgotten the permits that Redis may have granted and lost */
    private void assertHeld(Permitted forgotten) {
        // until all requests are rejected
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
