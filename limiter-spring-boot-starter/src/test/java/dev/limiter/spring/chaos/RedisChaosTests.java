package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Something happens to the server that two instances use. */
@Tag("long")
class RedisChaosTests extends ChaosSupport {

    private static final Duration STOP = ChaosSupport.END.plusSeconds(2);

    private static final RedisServer redis = RedisServer.stopped();
    private static List<Instance> both;

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

    /** Also after a failure the next one has a server that works. */
    @AfterEach
    void bringBack() {
        redis.resume();
        redis.ask(commands -> commands.configSet("maxmemory", "0"));
    }

    @Override
    List<Instance> instances() {
        return both;
    }

    @Test
    void killedAndRestartedEmpty(TestInfo test) {
        redis.kill();
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 500);
        assertOneMoreLimit();
        Permitted forgotten = permitted();
        redis.start();
        awaitRedis();
        assertHeld(test, forgotten);
    }

    @Test
    void stoppedForAWhile(TestInfo test) {
        redis.pause();
        long stopped = System.nanoTime();
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 2000);
        RealTime.passUntil(stopped + STOP.toNanos());
        assertThat(both).as("nobody has answered").allMatch(Instance::hasGivenUpRedis);
        assertOneMoreLimit();
        redis.resume();
        awaitRedis();
        assertHeld(test);
    }

    @Test
    void scriptsForgotten(TestInfo test) {
        redis.ask(commands -> commands.scriptFlush());
        assertHeld(test);
    }

    @Test
    void allForgotten(TestInfo test) {
        redis.ask(commands -> commands.flushall());
        assertHeld(test, permitted());
    }

    @Test
    void full(TestInfo test) {
        redis.ask(commands -> commands.configSet("maxmemory", "1"));
        await(() -> both.stream().allMatch(Instance::hasGivenUpRedis));
        load.awaitMore("/local", 429, 500);
        assertOneMoreLimit();
        redis.ask(commands -> commands.configSet("maxmemory", "0"));
        awaitRedis();
        assertHeld(test);
    }

    @Test
    void somethingElseUnderTheKeys(TestInfo test) {
        redis.ask(commands -> {
            commands.keys("limiter:{*hmac:*").forEach(key -> {
                commands.hset("other", "somebody", "else's");
                commands.rename("other", key);
            });
            return null;
        });
        load.awaitMore("/local", 429, 500);
        assertOneMoreLimit();
        Permitted forgotten = permitted();
        redis.ask(commands -> commands.del(commands.keys("limiter:{*hmac:*").toArray(String[]::new)));
        assertHeld(test, forgotten);
    }
}
