package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Rule;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
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

    /** Sees what Redis counts, at any time, and takes nothing. */
    private static Instance observer;

    @BeforeAll
    static void start() throws IOException {
        redis.start();
        network = new SlowNetwork(redis.port());
        both = List.of(new Instance(network.port()), new Instance(network.port()));
        observer = new Instance(redis.port(), "limiter.redis.timeout=5s");
    }

    @AfterAll
    static void stop() {
        both.forEach(Instance::close);
        observer.close();
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

    @Test
    void answersComeTooLate(TestInfo test) {
        network.addLatency(200);
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 500);
        assertThat(both).as("an answer that is late is none").allMatch(Instance::hasGivenUpRedis);
        assertOneMoreLimit();
        // late grants count for requests that memory has permitted; all others are given back
        await(() -> usedInRedis() >= count(Outcome.PERMITTED)
                && usedInRedis() <= count(Outcome.PERMITTED) + count(Outcome.FAILED_LOCAL));
        network.addLatency(0);
        awaitRedis();
        assertHeld(test);
    }

    private static long usedInRedis() {
        RateLimitEvent last = both.get(0).last();
        Rule rule = requireNonNull(last.decision()).rule();
        Decision now = observer.limiters().peek(rule, requireNonNull(last.key()));
        assertThat(now.onFailure()).isEmpty();
        return Instance.LIMIT - now.remaining();
    }
}
