package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connection of an instance is cut while it holds permits of a concurrency limit, which end meanwhile. */
@Tag("long")
class CutDuringHoldTests {

    /**
     * The longest time from the first decision in Redis to the last release: those that failed are sent ten times in a
     * second, and the rest is for a machine that has other work. Far less than the half minute of a hold.
     */
    private static final Duration RELEASED = Duration.ofSeconds(5);

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
        long back = System.nanoTime();
        await(() -> states().isEmpty() || System.nanoTime() - back > RELEASED.toNanos());
        assertThat(states()).as("held after the connection was back").isEmpty();
        await(() -> there.limiters().peek(POOL, "key").remaining() == 5);
    }

    /** The permits of the limit held in Redis: none once all are released. */
    private static List<String> states() {
        return redis.ask(commands -> commands.keys("limiter:{pool:*"));
    }
}
