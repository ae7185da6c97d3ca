package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/**
 * What clients of two instances see while something happens to Redis: never a server error, and no more than the limit; of
 * rules that go on in memory, once more at most, however often that happens; once more if Redis has lost what it knew.
 */
abstract class ChaosSupport {

    private static final Log logger = LogFactory.getLog(ChaosSupport.class);

    static RedisProcess redis;

    Load load;

    @BeforeAll
    static void startRedis() {
        redis = new RedisProcess();
        redis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    abstract List<Instance> instances();

    /** All are in Redis, and a third of the limit is used. */
    @BeforeEach
    void begin(TestInfo test) {
        awaitRedis();
        instances().forEach(Instance::forgetCounts);
        List<Integer> ports = instances().stream().map(Instance::port).toList();
        load = new Load(test.getDisplayName(), ports, "/local", "/closed");
        load.awaitMore("/local", 200, Instance.LIMIT / 3);
    }

    @AfterEach
    void end() {
        load.close();
    }

    void awaitRedis() {
        await(() -> instances().stream().allMatch(Instance::usesRedis));
    }

    static void await(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertThat(i).as("10 ms").isLessThan(3000);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** {@code knowing}: how often Redis began to count. */
    void assertHeld(TestInfo test, int knowing) {
        // until nobody is permitted any more
        load.awaitMore("/local", 429, 500);
        load.awaitMore("/closed", 429, 500);
        load.close();
        logger.info(test.getDisplayName() + ": " + load);

        assertThat(load.answers()).containsOnlyKeys("/local 200", "/local 429", "/closed 200", "/closed 429");
        long inRedis = Instance.LIMIT * knowing;
        assertThat(count(Outcome.PERMITTED)).isLessThanOrEqualTo(inRedis);
        assertThat(count(Outcome.FAILED_LOCAL)).isLessThanOrEqualTo(Instance.LIMIT);
        assertThat(count(Outcome.PERMITTED) + count(Outcome.FAILED_LOCAL)).isEqualTo(load.count("/local", 200));
        assertThat(load.count("/closed", 200)).isLessThanOrEqualTo(inRedis);
    }

    private long count(Outcome outcome) {
        return instances().stream()
                .mapToLong(instance -> instance.count("local", outcome))
                .sum();
    }
}
