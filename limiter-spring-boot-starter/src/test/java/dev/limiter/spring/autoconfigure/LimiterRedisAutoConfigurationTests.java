package dev.limiter.spring.autoconfigure;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.testkit.Ports;
import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Limits in Redis use the connection of the application and work without a server. */
@ExtendWith(OutputCaptureExtension.class)
class LimiterRedisAutoConfigurationTests {

    private static final Rule RULE = Rule.of("ten", Limit.tokenBucket(10, Duration.ofHours(1)));

    private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
            .withConfiguration(Limiter.autoConfigurations())
            .withPropertyValues("limiter.storage=redis", "limiter.redis.timeout=5s");

    private final ApplicationContextRunner application =
            withoutRedis.withConfiguration(AutoConfigurations.of(RedisAutoConfiguration.class));

    private final ApplicationContextRunner withoutServer =
            application.withPropertyValues("spring.data.redis.port=" + Ports.free(), "limiter.redis.timeout=50ms");

    private ApplicationContextRunner shared() {
        return application.withPropertyValues(
                "spring.data.redis.port=" + RedisServer.shared().port());
    }

    private static boolean permits(AssertableApplicationContext context, String key) {
        return context.getBean(RateLimiters.class).tryAcquire(RULE, key).permitted();
    }

    /** The default may be configured explicitly, even if the application has no name. */
    @ParameterizedTest
    @CsvSource({
        "memory, '', limiter:",
        "redis, '', limiter:",
        "memory, shop, limiter:shop:",
        "redis, shop, limiter:shop:"
    })
    void keysBeginWithTheNameOfTheApplication(String storage, String name, String prefix) {
        ApplicationContextRunner named = withoutServer
                .withPropertyValues("limiter.storage=" + storage)
                .withPropertyValues(name.isEmpty() ? new String[0] : new String[] {"spring.application.name=" + name});
        named.run(context -> assertThat(
                        context.getBean(LimiterSettings.class).redis().keyPrefix())
                .isEqualTo(prefix));
        named.withPropertyValues("limiter.redis.key-prefix=limiter:${spring.application.name}:")
                .run(context -> assertThat(
                                context.getBean(LimiterSettings.class).redis().keyPrefix())
                        .isEqualTo(prefix));
    }

    /** Starts in the phase of web servers. */
    static final class WebServerPhase implements SmartLifecycle {

        private final StorageStatistics statistics;
        private volatile long requests = -1;

        WebServerPhase(StorageStatistics statistics) {
            this.statistics = statistics;
        }

        @Override
        public void start() {
            requests = statistics.requests();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return requests >= 0;
        }

        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE - 2048;
        }
    }

    /** Warm-up decides for each rule, and hundreds of times until decisions are fast. */
    @Test
    void decidesBeforeAWebServerAcceptsRequests() {
        shared().withBean(WebServerPhase.class)
                .run(context -> assertThat(context.getBean(WebServerPhase.class).requests)
                        .isGreaterThan(100));
    }

    @Test
    void warnsOfTheMasterOfAClusterThatDeletesLimits(CapturedOutput output) {
        try (RedisCluster cluster = RedisCluster.ofMasters()) {
            RedisServer master = cluster.masters().get(1);
            master.ask(commands -> commands.configSet("maxmemory-policy", "allkeys-lru"));
            String node = master.ask(commands -> commands.clusterMyId());
            application
                    .withPropertyValues("spring.data.redis.cluster.nodes=" + cluster.addresses())
                    .run(context -> {
                        awaitRedis(context);
                        await(() ->
                                output.getAll().contains("The node " + node + " of the Redis cluster has maxmemory"));
                        assertThat(output.getAll()).containsOnlyOnce("[LIM-913]");
                        assertThat(context.getBean(RateLimiters.class)
                                        .tryAcquire(RULE.charge("a"), RULE.charge("b"), RULE.charge("c"))
                                        .parts())
                                .hasSize(3)
                                .allSatisfy(part -> assertThat(part.onFailure()).isEmpty());
                    });
        }
    }

    @Test
    void connectsAsTheApplicationDoesAndWarnsOfAServerThatDeletesLimits(CapturedOutput output) {
        try (RedisServer server =
                RedisServer.started("--requirepass", "open-sesame", "--maxmemory-policy", "allkeys-lru")) {
            application
                    .withPropertyValues(
                            "spring.data.redis.url=redis://:open-sesame@127.0.0.1:" + server.port() + "/3",
                            "spring.data.redis.client-name=shop")
                    .run(context -> {
                        awaitRedis(context);
                        StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
                        assertThat(redis.keys("*")).as("in the same database").contains("limiter:{ten:nobody}");
                        assertThat(redis.getClientList())
                                .as("and connections of the application and of limits")
                                .filteredOn(client -> "shop".equals(client.getName()))
                                .hasSize(2);
                        await(() -> output.getAll().contains("maxmemory-policy allkeys-lru"));
                        assertThat(output).contains("[LIM-913]");
                    });
        }
    }

    @Test
    void closesItsConnection() {
        shared().run(outer -> {
            StringRedisTemplate redis = outer.getBean(StringRedisTemplate.class);
            shared().withPropertyValues("spring.data.redis.client-name=closing").run(context -> {
                awaitRedis(context);
                assertThat(clients(redis, "closing")).isEqualTo(1);
            });
            await(() -> clients(redis, "closing") == 0);
        });
    }

    private static long clients(StringRedisTemplate redis, String name) {
        return redis.getClientList().stream()
                .filter(client -> name.equals(client.getName()))
                .count();
    }

    @Test
    void startsAndLimitsWithoutAServerAndIsNotDown() {
        withoutServer.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            int permitted = 0;
            for (int i = 0; i < 20; i++) {
                permitted += permits(context, "alice") ? 1 : 0;
            }
            assertThat(permitted).isEqualTo(10);
            HealthIndicator health = context.getBean("limiterHealthIndicator", HealthIndicator.class);
            assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(health.health().getDetails()).containsEntry("instances", 1);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("limiter.storage")
                            .tag("outcome", "error")
                            .timer()
                            .count())
                    .isPositive();
            assertThat(meters.get("limiter.keys")
                            .tag("storage", "redis")
                            .gauge()
                            .value())
                    .isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"management.health.limiter.enabled=false", "management.health.defaults.enabled=false"})
    void hasNoHealthIfItIsNotWanted(String property) {
        withoutServer
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("limiterHealthIndicator"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.lettuce.core", "org.springframework.data.redis"})
    void namesTheDependencyThatIsMissing(String missing) {
        fails(
                withoutRedis.withClassLoader(new FilteredClassLoader(missing)),
                "limiter.storage is \"redis\"",
                "org.springframework.boot:spring-boot-starter-data-redis");
    }

    /** A bean of the application that is created before those of Limiter. */
    @Configuration(proxyBeanMethods = false)
    static class StorageFirst {

        @Bean
        Object first(RateLimiterStorage storage) {
            return storage;
        }
    }

    @ParameterizedTest
    @CsvSource({"memroy, Did you mean memory?", "jdbc, [LIM-102]", "1, [LIM-102]"})
    void unknownStorageIsReportedAlsoWithoutRedis(String word, String told) {
        fails(
                withoutRedis
                        .withClassLoader(new FilteredClassLoader("io.lettuce.core"))
                        .withPropertyValues("limiter.storage=" + word)
                        .withUserConfiguration(StorageFirst.class),
                "limiter.storage is \"" + word + "\"",
                "This must be one of: memory, redis.",
                told);
    }

    @Test
    void reportsTheMissingConnection() {
        fails(withoutRedis, "RedisConnectionFactory");
        fails(withoutRedis.withBean(RedisConnectionFactory.class, () -> mock()), "Limits need Lettuce");
        fails(
                withoutRedis.withPropertyValues("limiter.redis.url=http://user:secret@limits"),
                "limiter.redis.url",
                "redis://");
    }

    @Test
    void rejectsAStrategyThatCannotRunThere() {
        RateLimiterStrategy own = mock();
        when(own.algorithm()).thenReturn(Algorithm.TOKEN_BUCKET);
        String told = "TOKEN_BUCKET, which cannot decide in Redis. Remove it, or use storage: memory.";
        fails(application.withBean("own", RateLimiterStrategy.class, () -> own), told);
        fails(application.withBean(RateLimiterFactory.class, () -> new RateLimiterFactory(List.of(own))), told);
    }

    private static void fails(ApplicationContextRunner runner, String... told) {
        runner.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContainingAll(told)
                .hasMessageNotContaining("secret"));
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
    void warnsAboutThePublicDefaultSecret(CapturedOutput output) {
        ApplicationContextRunner byHeader = withoutServer.withPropertyValues(
                "limiter.rules.orders.limit=1",
                "limiter.rules.orders.window=1s",
                "limiter.rules.orders.key=header:X-Api-Key");
        byHeader.withPropertyValues("limiter.redis.key-secret=something-that-nobody-knows")
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
}
