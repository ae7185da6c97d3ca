package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;

/** Problems of {@code limiter.storage: redis}. Does not need Spring Data Redis on the class path. */
final class RedisConfigurationProblems {

    private static final String ADD = "Add the dependency org.springframework.boot:spring-boot-starter-data-redis";

    private RedisConfigurationProblems() {}

    public static LimiterConfigurationException missing() {
        return of("Spring Data Redis or Lettuce is not on the class path. " + ADD
                + ", and configure the server below spring.data.redis; or use storage: memory.");
    }

    static LimiterConfigurationException notLettuce(Class<?> factory) {
        return of("Limits need Lettuce, but the application connects with " + factory.getName() + ". " + ADD
                + ", which includes io.lettuce:lettuce-core, and remove spring.data.redis.client-type: jedis;"
                + " or declare a @Primary LettuceConnectionFactory.");
    }

    static LimiterConfigurationException url() {
        return new LimiterConfigurationException(new Problem(
                MessageCode.REDIS_URL,
                "limiter.redis.url",
                null,
                "This is not a Redis URL. Write redis://host:6379, rediss://user:password@host:6380 for TLS,"
                        + " or redis-sentinel://host1,host2#master; or remove it to use the server of the"
                        + " application."));
    }

    public static LimiterConfigurationException of(String reason) {
        return new LimiterConfigurationException(
                new Problem(MessageCode.REDIS_MISSING, "limiter.storage", "redis", reason));
    }
}
