package dev.limiter.sample;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

class SampleOnRedisTests extends SampleOnRedisContract {

    private static RedisServer redis;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeAll
    static void start() {
        redis = RedisServer.started();
        first = startInstance();
        second = startInstance();
    }

    private static ConfigurableApplicationContext startInstance() {
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(SampleApplication.class)
                .profiles("redis")
                .run("--server.port=0", "--" + redis.property(), "--limiter.redis.timeout=5s");
        awaitRedis(instance.getBean(RateLimiters.class));
        return instance;
    }

    /** Connects in the background. */
    private static void awaitRedis(RateLimiters limiters) {
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        Conditions.await(() -> limiters.tryAcquire(any, "nobody").onFailure().isEmpty());
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        redis.close();
    }

    @Override
    protected RedisServer redis() {
        return redis;
    }

    @Override
    protected Clients first() {
        return clientsOf(first);
    }

    @Override
    protected Clients second() {
        return clientsOf(second);
    }

    private static Clients clientsOf(ConfigurableApplicationContext instance) {
        return new Clients(instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
