package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connection of an instance is cut while it holds permits of a concurrency limit, which end meanwhile. */
@Tag("long")
class CutDuringHoldTests {

    private static final Rule POOL = Rule.of("pool", Limit.concurrency(5));

    private static final RedisServer redis = RedisServer.stopped();
    private static SlowNetwork network;
    private static Instance here;
    private static Instance there;

    @BeforeAll
    static void start() throws IOException {
        redis.start();
        network = new SlowNetwork(redis.port());
        here = new Instance(network.port(), "limiter.redis.timeout=2s");
        there = new Instance(redis.port());
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        network.close();
        redis.close();
    }

    @Test
    void whatWasHeldIsFreeSoonAfterTheConnectionIsBack() {
        await(() -> here.usesRedis() && there.usesRedis());
        List<Decision> held = Stream.generate(() -> here.limiters().tryAcquire(POOL, "key"))
                .limit(5)
                .toList();
        assertThat(held)
                .allMatch(Decision::permitted)
                .allMatch(decision -> decision.onFailure().isEmpty());
        network.cut();
        await(here::hasGivenUpRedis);
        held.forEach(Decision::close);
        assertThat(states()).hasSize(1);
        network.mend();
        await(here::usesRedis);
        // or the holds have ended
        await(() -> states().isEmpty() || secondsLeft() < 10);
        assertThat(states()).isEmpty();
        await(() -> there.limiters().peek(POOL, "key").remaining() == 5);
    }

    /** The permits of the limit held in Redis: none once all are released. */
    private static List<String> states() {
        return redis.ask(commands -> commands.keys("limiter:{pool:*"));
    }

    private static long secondsLeft() {
        List<String> states = states();
        return states.isEmpty() ? 0 : redis.ask(commands -> commands.ttl(states.get(0)));
    }
}
