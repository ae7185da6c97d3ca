package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.FailoverRateLimiterStorage;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.RedisServers;
import dev.limiter.spring.failure.LimiterConfigurationException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@ExtendWith(OutputCaptureExtension.class)
class LimiterRedisAutoConfigurationTests {

    private static final Rule RULE = Rule.of("ten", Limit.tokenBucket(10, Duration.ofHours(1)));

    private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
            .withConfiguration(Limiter.autoConfigurations())
            .withPropertyValues("limiter.storage=redis");

    private final ApplicationContextRunner application =
            withoutRedis.withConfiguration(AutoConfigurations.of(RedisAutoConfiguration.class));

    @Test
    void isInMemoryIfNotSaid() {
        application
                .withPropertyValues("limiter.storage=memory")
                .run(context -> assertThat(context)
                        .getBean(RateLimiterStorage.class)
                        .isInstanceOf(InMemoryRateLimiterStorage.class));
    }

    @Test
    void instancesOnOneServerShareLimits() {
        ApplicationContextRunner one = application.withPropertyValues(
                "spring.data.redis.port=" + RedisServers.shared(),
                "limiter.redis.key-prefix=shared:",
                "limiter.redis.timeout=5s");
        one.run(first -> one.run(second -> {
            awaitRedis(first);
            awaitRedis(second);
            int permitted = 0;
            for (int i = 0; i < 20; i++) {
                RateLimiters limiters = (i % 2 == 0 ? first : second).getBean(RateLimiters.class);
                permitted += limiters.tryAcquire(RULE, "alice").permitted() ? 1 : 0;
            }
            assertThat(permitted).isEqualTo(10);
        }));
    }

    @Test
    void startsAndLimitsWithoutAServer() {
        application
                .withPropertyValues("spring.data.redis.port=" + RedisServers.freePort())
                .run(context -> {
                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    int permitted = 0;
                    for (int i = 0; i < 20; i++) {
                        permitted += limiters.tryAcquire(RULE, "alice").permitted() ? 1 : 0;
                    }
                    assertThat(permitted).isEqualTo(10);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.lettuce.core", "org.springframework.data.redis"})
    void namesTheDependencyThatIsMissing(String missing) {
        withoutRedis
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("limiter.storage is \"redis\"")
                        .hasMessageContaining("org.springframework.boot:spring-boot-starter-data-redis"));
    }

    @Test
    void saysThatAnotherClientThanLettuceWillNotDo() {
        withoutRedis
                .withBean(RedisConnectionFactory.class, () -> mock())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("Limits need Lettuce"));
    }

    @Test
    void saysThatThereIsNoConnectionFactory() {
        withoutRedis.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("RedisConnectionFactory"));
    }

    @Test
    void refusesAStrategyThatCannotRunThere() {
        RateLimiterStrategy own = mock();
        when(own.algorithm()).thenReturn(Algorithm.TOKEN_BUCKET);
        application
                .withBean("own", RateLimiterStrategy.class, () -> own)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("TOKEN_BUCKET"));
    }

    @Test
    void backsOffForAStorage() {
        RateLimiterStorage storage = mock();
        withoutRedis
                .withClassLoader(new FilteredClassLoader("io.lettuce.core"))
                .withBean("own", RateLimiterStorage.class, () -> storage)
                .run(context -> assertThat(context.getBean(RateLimiters.class).storage())
                        .isSameAs(storage));
    }

    @Test
    void warnsOfASecretThatEverybodyKnows(CapturedOutput output) {
        ApplicationContextRunner byHeader = application.withPropertyValues(
                "spring.data.redis.port=" + RedisServers.shared(),
                "limiter.rules.orders.limit=1",
                "limiter.rules.orders.window=1s",
                "limiter.rules.orders.key=header:X-Api-Key");
        byHeader.withPropertyValues("limiter.redis.key-secret=something-that-nobody-knows")
                .run(context -> assertThat(output).doesNotContain("limiter.redis.key-secret"));
        byHeader.withPropertyValues("limiter.rules.orders.key=ip")
                .run(context -> assertThat(output).doesNotContain("limiter.redis.key-secret"));
        byHeader.run(context -> assertThat(output).contains("limiter.redis.key-secret is not set"));
    }

    /** Connects in the background. */
    private static void awaitRedis(AssertableApplicationContext context) {
        RateLimiters limiters = context.getBean(RateLimiters.class);
        await(() -> limiters.tryAcquire(RULE, "nobody").onFailure().isEmpty());
        assertThat(context.getBean(FailoverRateLimiterStorage.class).isAvailable())
                .isTrue();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("came true").isLessThan(deadline);
            Thread.yield();
        }
    }
}
