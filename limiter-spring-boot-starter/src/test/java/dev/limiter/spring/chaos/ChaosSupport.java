package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import java.time.Duration;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/**
 * The view of clients of two instances during a fault of Redis: never a server error, an answer to each request in
 * bounded time, and one more limit at most, which the instances grant in memory. Redis may grant again what it has
 * forgotten. The time of answers stands in the log; benchmarks measure it.
 */
abstract class ChaosSupport {

    private static final Log logger = LogFactory.getLog(ChaosSupport.class);

    /**
     * The longest time of a request. A decision has 50 ms; the rest is for the processor, which two applications, their
     * clients and the servers share with other processes. A request that waits for a stopped server takes longer, since
     * the server is stopped for longer.
     */
    static final Duration END = Duration.ofSeconds(8);

    ClosedLoopLoad load;

    abstract List<Instance> instances();

    /** All are in Redis, and a third of the limit is used. */
    @BeforeEach
    void begin(TestInfo test) {
        awaitRedis();
        instances().forEach(Instance::forgetCounts);
        List<Integer> ports = instances().stream().map(Instance::port).toList();
        load = new ClosedLoopLoad(test.getDisplayName(), ports, "/local", "/closed");
        load.awaitMore("/local", 200, Instance.LIMIT / 3);
        load.endCalm();
    }

    @AfterEach
    void end() {
        load.close();
    }

    void awaitRedis() {
        await(() -> instances().stream().allMatch(Instance::usesRedis));
    }

    /** For the end of an outage: each instance has granted its share. */
    void assertOneMoreLimit() {
        assertThat(count(Outcome.FAILED_LOCAL)).as("granted in memory").isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(count(Outcome.PERMITTED)).as("granted by Redis").isLessThanOrEqualTo(Instance.LIMIT);
    }

    /** Permits that Redis has granted by now, answered or on their way to clients. */
    Permitted permitted() {
        return new Permitted(count(Outcome.PERMITTED) + underWay(), load.count("/closed", 200) + underWay());
    }

    private long underWay() {
        return (long) ClosedLoopLoad.CLIENTS * instances().size();
    }

    /** Permits of each rule. */
    record Permitted(long local, long closed) {

        static final Permitted NOTHING = new Permitted(0, 0);
    }

    void assertHeld(TestInfo test) {
        assertHeld(test, Permitted.NOTHING);
    }

    /** {@code forgotten}: the permits that Redis may have granted and does not remember. */
    void assertHeld(TestInfo test, Permitted forgotten) {
        // until nobody is permitted any more
        load.awaitMore("/local", 429, 500);
        load.awaitMore("/closed", 429, 500);
        load.close();
        assertInTime(test, load);

        assertThat(load.answers()).containsOnlyKeys("/local 200", "/local 429", "/closed 200", "/closed 429");
        long inRedis = count(Outcome.PERMITTED);
        long inMemory = count(Outcome.FAILED_LOCAL);
        logger.info("%s: %s in Redis and %s in memory, %s where only Redis permits; forgotten %s"
                .formatted(test.getDisplayName(), inRedis, inMemory, load.count("/closed", 200), forgotten));
        assertThat(inRedis + inMemory).isEqualTo(load.count("/local", 200));
        assertThat(inRedis).isLessThanOrEqualTo(Instance.LIMIT + forgotten.local());
        assertThat(inMemory).isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(load.count("/closed", 200)).isLessThanOrEqualTo(Instance.LIMIT + forgotten.closed());
    }

    /** The requests since the calm ended, with the answers that clients saw. */
    static void assertInTime(TestInfo test, ClosedLoopLoad load) {
        logger.info(test.getDisplayName() + ": " + load);
        assertThat(load.longest()).as("all").isLessThan(END);
    }

    /** {@code before}: what rule closed had permitted by then. After that only Redis permits there. */
    void assertRedisWentOn(long before) {
        assertThat(load.count("/closed", 200))
                .as("granted, of what was left of %s after %s", Instance.LIMIT, before)
                .isGreaterThanOrEqualTo((before + Instance.LIMIT) / 2);
    }

    long count(Outcome outcome) {
        return instances().stream()
                .mapToLong(instance -> instance.count("local", outcome))
                .sum();
    }
}
