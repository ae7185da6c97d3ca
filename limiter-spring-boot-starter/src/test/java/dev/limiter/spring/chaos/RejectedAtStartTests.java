package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.testkit.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Redis is not there when two instances start; it comes later. */
@Tag("long")
class RejectedAtStartTests extends ChaosSupport {

    private static final RedisServer redis = RedisServer.stopped();
    private static List<Instance> both;

    @BeforeAll
    static void start() {
        both = List.of(new Instance(redis.port()), new Instance(redis.port()));
    }

    @AfterAll
    static void stop() {
        both.forEach(Instance::close);
        redis.close();
    }

    @Override
    List<Instance> instances() {
        return both;
    }

    /** There is no calm to compare with, so nothing that is slow only once is in the way. */
    @BeforeEach
    @Override
    void begin(TestInfo test) {
        List<Integer> ports = both.stream().map(Instance::port).toList();
        try (ClosedLoopLoad first = new ClosedLoopLoad("somebody else", ports, "/local", "/closed")) {
            first.awaitMore("/closed", 429, 500);
        }
        both.forEach(Instance::forgetCounts);
        load = new ClosedLoopLoad(test.getDisplayName(), ports, "/local", "/closed");
    }

    @Test
    void countsInMemoryUntilItIsThere(TestInfo test) {
        load.awaitMore("/local", 429, 500);
        assertThat(count(Outcome.FAILED_LOCAL)).isEqualTo(Instance.LIMIT);
        assertThat(load.count("/closed", 200)).isZero();
        redis.start();
        awaitRedis();
        assertHeld(test);
        assertRedisWentOn(0);
    }
}
