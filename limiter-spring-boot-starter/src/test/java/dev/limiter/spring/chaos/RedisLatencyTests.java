package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The server is well, but far away for a while. */
@Tag("long")
class RedisLatencyTests extends ChaosSupport {

    private static final RedisServer redis = RedisServer.stopped();
    private static SlowNetwork network;
    private static List<Instance> both;

    @BeforeAll
    static void start() throws IOException {
        redis.start();
        network = new SlowNetwork(redis.port());
        both = List.of(new Instance(network.port()), new Instance(network.port()));
    }

    @AfterAll
    static void stop() {
        both.forEach(Instance::close);
        network.close();
        redis.close();
    }

    @AfterEach
    void near() {
        network.addLatency(0);
    }

    @Override
    List<Instance> instances() {
        return both;
    }

    /** An instance that has too little of a processor waits for its late answers longer than the other one. */
    @Test
    void answersComeTooLate(TestInfo test) {
        long before = count(Outcome.PERMITTED);
        network.addLatency(200);
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 2000);
        assertThat(both).as("an answer that is late is none").allMatch(Instance::hasGivenUpRedis);
        assertNoMoreThanWasLeft(count(Outcome.PERMITTED) - before);
        network.addLatency(0);
        awaitRedis();
        assertHeld(test);
    }
}
