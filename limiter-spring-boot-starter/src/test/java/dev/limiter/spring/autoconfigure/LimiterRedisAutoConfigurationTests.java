package dev.limiter.spring.autoconfigure;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.Algorithm;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.testkit.Ports;
import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisSentinel;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
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
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
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
                "spring.data.redis.port=" + RedisServer.shared().port(),
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
    void twoApplicationsOnOneServerHaveLimitsOfTheirOwn() {
        ApplicationContextRunner one = application.withPropertyValues(
                "spring.data.redis.port=" + RedisServer.shared().port(), "limiter.redis.timeout=5s");
        one.withPropertyValues("spring.application.name=shop")
                .run(shop -> one.withPropertyValues("spring.application.name=blog")
                        .run(blog -> {
                            awaitRedis(shop);
                            awaitRedis(blog);
                            assertThat(shop.getBean(LimiterSettings.class)
                                            .redis()
                                            .keyPrefix())
                                    .isEqualTo("limiter:shop:");
                            Rule rule = Rule.of("apart", Limit.fixedWindow(10, Duration.ofDays(1)));
                            assertThat(shop.getBean(RateLimiters.class)
                                            .tryAcquire(rule, "alice", 10)
                                            .permitted())
                                    .isTrue();
                            assertThat(blog.getBean(RateLimiters.class)
                                            .tryAcquire(rule, "alice", 10)
                                            .permitted())
                                    .isTrue();
                        }));
    }

    @Test
    void keysOfAnApplicationWithoutANameBeginAsBefore() {
        withoutRedis
                .withPropertyValues("limiter.storage=memory")
                .run(context -> assertThat(
                                context.getBean(LimiterSettings.class).redis().keyPrefix())
                        .isEqualTo("limiter:"));
    }

    /** The default may be written out, whether the application has a name or not. */
    @ParameterizedTest
    @CsvSource({"memory, ''", "redis, ''", "memory, shop", "redis, shop"})
    void theDefaultPrefixMayBeWrittenOut(String storage, String name) {
        application
                .withPropertyValues(
                        "spring.data.redis.port=" + Ports.free(),
                        "limiter.storage=" + storage,
                        "limiter.redis.key-prefix=limiter:${spring.application.name}:")
                .withPropertyValues(name.isEmpty() ? new String[0] : new String[] {"spring.application.name=" + name})
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LimiterSettings.class).redis().keyPrefix())
                            .isEqualTo(name.isEmpty() ? "limiter:" : "limiter:" + name + ":");
                });
    }

    @Test
    void limitsMayHaveAServerOfTheirOwn() {
        withoutRedis
                .withPropertyValues(
                        "limiter.redis.url=redis://127.0.0.1:"
                                + RedisServer.shared().port(),
                        "limiter.redis.timeout=5s")
                .run(context -> {
                    awaitRedis(context);
                    assertThat(context.getBean(RateLimiters.class)
                                    .tryAcquire(RULE, "own server")
                                    .onFailure())
                            .isEmpty();
                });
    }

    @Test
    void measuresWhatRedisIsSpared() {
        application
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port(), "limiter.redis.timeout=5s")
                .run(context -> {
                    awaitRedis(context);
                    Rule one = Rule.of("measured", Limit.fixedWindow(1, Duration.ofDays(1)));
                    RateLimiters limiters = context.getBean(RateLimiters.class);
                    limiters.tryAcquire(one, "alice");
                    limiters.tryAcquire(one, "alice");
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.get("limiter.redis.known.rejections")
                                    .functionCounter()
                                    .count())
                            .isPositive();
                    assertThat(registry.get("limiter.redis.calls")
                                    .functionCounter()
                                    .count())
                            .isPositive();
                    assertThat(registry.get("limiter.redis.available")
                                    .tag("node", "all")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                    assertThat(registry.get("limiter.redis.instances").gauge().value())
                            .isPositive();
                });
    }

    @Test
    void measuresBatchesPermitsTakenAheadAndWhatIsLost() {
        try (RedisServer own = RedisServer.started()) {
            application
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .withPropertyValues(
                            own.property(),
                            "limiter.redis.timeout=5s",
                            "limiter.rules.ahead.paths=/ahead",
                            "limiter.rules.ahead.limit=1000",
                            "limiter.rules.ahead.window=1h",
                            "limiter.rules.ahead.lease=20%")
                    .run(context ->
                            measured(own, context.getBean(RateLimiters.class), context.getBean(MeterRegistry.class)));
        }
    }

    private static void measured(RedisServer own, RateLimiters limiters, MeterRegistry registry) {
        double calls = count(registry, "calls");
        double requests = count(registry, "requests");
        Decision taken = limiters.tryAcquire(RULE, "alice");
        assertThat(taken.onFailure()).isEmpty();
        assertThat(count(registry, "calls")).isEqualTo(calls + 1);
        assertThat(count(registry, "requests")).isEqualTo(requests + 1);

        assertThat(count(registry, "lease.hits")).isZero();
        Rule ahead = Rule.of("ahead", Limit.tokenBucket(1000, Duration.ofHours(1)));
        await(() -> limiters.tryAcquire(ahead, "alice").permitted() && count(registry, "lease.hits") > 0);

        // the connection is cut while the server has the command
        assertThat(count(registry, "returns.lost")).isZero();
        own.ask(LimiterRedisAutoConfigurationTests::holdWrites);
        taken.giveBack();
        await(() -> own.ask(RedisCommands::clientList).contains("flags=b"));
        own.kill();
        own.start();
        await(() -> count(registry, "returns.lost") > 0);
    }

    private static String holdWrites(RedisCommands<String, String> server) {
        return server.dispatch(
                CommandType.CLIENT,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).add("PAUSE").add(600_000).add("WRITE"));
    }

    private static double count(MeterRegistry registry, String meter) {
        return registry.get("limiter.redis." + meter).functionCounter().count();
    }

    /** A bean that is started where web servers are. */
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

    /** Those of each rule, and hundreds until they are fast; the application itself has not asked for anything. */
    @Test
    void decidesBeforeAWebServerAcceptsRequests() {
        application
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port(), "limiter.redis.timeout=5s")
                .withBean(WebServerPhase.class)
                .run(context -> assertThat(context.getBean(WebServerPhase.class).requests)
                        .isGreaterThan(100));
    }

    @Test
    void saysThatAUrlIsNone() {
        withoutRedis
                .withPropertyValues("limiter.redis.url=http://user:secret@limits")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("limiter.redis.url")
                        .hasMessageContaining("redis://")
                        .hasMessageNotContaining("secret"));
    }

    @Test
    void warnsOfAServerThatDeletesLimits(CapturedOutput output) {
        try (RedisServer evicting = RedisServer.started("--maxmemory-policy", "allkeys-lru")) {
            application
                    .withPropertyValues(evicting.property(), "limiter.redis.timeout=5s")
                    .run(context -> {
                        awaitRedis(context);
                        await(() -> output.getAll().contains("maxmemory-policy allkeys-lru"));
                        assertThat(output).contains("[LIM-913]");
                    });
        }
    }

    /** Whichever of them it is, and of that one only. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void warnsOfTheMasterOfAClusterThatDeletesLimits(int evicting, CapturedOutput output) {
        try (RedisCluster cluster = RedisCluster.ofMasters()) {
            RedisServer master = cluster.masters().get(evicting);
            master.ask(commands -> commands.configSet("maxmemory-policy", "allkeys-lru"));
            String node = master.ask(commands -> commands.clusterMyId());
            application
                    .withPropertyValues(
                            "spring.data.redis.cluster.nodes=" + cluster.addresses(), "limiter.redis.timeout=5s")
                    .run(context -> {
                        awaitRedis(context);
                        await(() ->
                                output.getAll().contains("The node " + node + " of the Redis cluster has maxmemory"));
                        assertThat(output.getAll()).containsOnlyOnce("[LIM-913]");
                    });
        }
    }

    /** As {@code @ServiceConnection} of Testcontainers and Docker Compose bring them. */
    @Test
    void goesWhereAServiceConnectionSays() {
        RedisConnectionDetails details = new RedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", RedisServer.shared().port());
            }
        };
        application
                .withBean(RedisConnectionDetails.class, () -> details)
                .withPropertyValues("spring.data.redis.port=" + Ports.free(), "limiter.redis.timeout=5s")
                .run(LimiterRedisAutoConfigurationTests::awaitRedis);
    }

    @Test
    void startsAndLimitsWithoutAServer() {
        application.withPropertyValues("spring.data.redis.port=" + Ports.free()).run(context -> {
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

    /** A bean of the application, made before those of Limiter. */
    @Configuration(proxyBeanMethods = false)
    static class StorageFirst {

        @Bean
        Object first(RateLimiterStorage storage) {
            return storage;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memroy", "jdbc", "1"})
    void wordThatIsNoStorageIsToldAsOneAlsoWithoutRedis(String word) {
        withoutRedis
                .withClassLoader(new FilteredClassLoader("io.lettuce.core"))
                .withPropertyValues("limiter.storage=" + word)
                .withUserConfiguration(StorageFirst.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("limiter.storage is \"" + word + "\"")
                        .hasMessageContaining("This must be one of: memory, redis.")
                        .hasMessageContaining(word.equals("memroy") ? "Did you mean memory?" : "[LIM-102]"));
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
    void rejectsAStrategyThatCannotRunThere() {
        RateLimiterStrategy own = mock();
        when(own.algorithm()).thenReturn(Algorithm.TOKEN_BUCKET);
        application
                .withBean("own", RateLimiterStrategy.class, () -> own)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining(
                                "TOKEN_BUCKET, which cannot decide in Redis. Remove it, or use storage: memory."));
    }

    @Test
    void rejectsAFactoryWhoseStrategyCannotRunThere() {
        RateLimiterStrategy own = mock();
        when(own.algorithm()).thenReturn(Algorithm.LEAKY_BUCKET);
        application
                .withBean(RateLimiterFactory.class, () -> new RateLimiterFactory(List.of(own)))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("LEAKY_BUCKET"));
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
    void connectsAsTheApplicationDoes() {
        try (RedisServer server = RedisServer.started("--requirepass", "open-sesame")) {
            application
                    .withPropertyValues(
                            "spring.data.redis.url=redis://:open-sesame@127.0.0.1:" + server.port() + "/3",
                            "spring.data.redis.client-name=shop",
                            "limiter.redis.timeout=5s")
                    .run(context -> {
                        awaitRedis(context);
                        StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
                        assertThat(redis.keys("*")).as("in the same database").contains("limiter:{ten:nobody}");
                        assertThat(redis.getClientList())
                                .as("and connections of the application and of limits")
                                .filteredOn(client -> "shop".equals(client.getName()))
                                .hasSize(2);
                    });
        }
    }

    @Test
    void asksSentinelForTheServer() {
        try (RedisSentinel sentinel = new RedisSentinel()) {
            application
                    .withPropertyValues(sentinel.properties())
                    .withPropertyValues("limiter.redis.timeout=5s")
                    .run(LimiterRedisAutoConfigurationTests::awaitRedis);
        }
    }

    @Test
    void connectsToACluster() {
        try (RedisCluster cluster = RedisCluster.ofMasters()) {
            application
                    .withPropertyValues(
                            "spring.data.redis.cluster.nodes=" + cluster.addresses(), "limiter.redis.timeout=5s")
                    .run(context -> {
                        awaitRedis(context);
                        RateLimiters limiters = context.getBean(RateLimiters.class);
                        assertThat(limiters.tryAcquire(RULE.charge("a"), RULE.charge("b"), RULE.charge("c"))
                                        .parts())
                                .hasSize(3)
                                .allSatisfy(part -> assertThat(part.onFailure()).isEmpty());
                    });
        }
    }

    @Test
    void closesItsConnection() {
        application
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port(), "limiter.redis.timeout=5s")
                .run(outer -> {
                    StringRedisTemplate redis = outer.getBean(StringRedisTemplate.class);
                    application
                            .withPropertyValues(
                                    "spring.data.redis.port="
                                            + RedisServer.shared().port(),
                                    "spring.data.redis.client-name=closing",
                                    "limiter.redis.timeout=5s")
                            .run(context -> {
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
    void warnsOfASecretThatEverybodyKnows(CapturedOutput output) {
        ApplicationContextRunner byHeader = application.withPropertyValues(
                "spring.data.redis.port=" + RedisServer.shared().port(),
                "limiter.rules.orders.limit=1",
                "limiter.rules.orders.window=1s",
                "limiter.rules.orders.key=header:X-Api-Key");
        byHeader.withPropertyValues("limiter.redis.key-secret=something-that-nobody-knows")
                .run(context -> assertThat(output).doesNotContain("limiter.redis.key-secret"));
        byHeader.withPropertyValues("limiter.rules.orders.key=ip")
                .run(context -> assertThat(output).doesNotContain("limiter.redis.key-secret"));
        byHeader.run(context -> assertThat(output).contains("limiter.redis.key-secret is not set"));
    }

    @Test
    void metersSayHowRedisFares() {
        application
                .withConfiguration(AutoConfigurations.of(LimiterMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("spring.data.redis.port=" + Ports.free())
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    context.getBean(RateLimiters.class).tryAcquire(RULE, "alice");
                    assertThat(meters.get("limiter.storage")
                                    .tag("outcome", "error")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                    assertThat(meters.get("limiter.keys")
                                    .tag("storage", "redis")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                });
    }

    @Test
    void healthIsUnknownAndNotDownWithoutRedis() {
        application.withPropertyValues("spring.data.redis.port=" + Ports.free()).run(context -> {
            HealthIndicator health = context.getBean("limiterHealthIndicator", HealthIndicator.class);
            RateLimiters limiters = context.getBean(RateLimiters.class);
            for (int i = 0; i < 20; i++) {
                limiters.tryAcquire(RULE, "alice");
            }
            assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
            assertThat(health.health().getDetails()).containsEntry("instances", 1);
        });
        application
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port(), "limiter.redis.timeout=5s")
                .run(context -> {
                    awaitRedis(context);
                    assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                            .isEqualTo(Status.UP);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limiter.storage=memory",
                "management.health.limiter.enabled=false",
                "management.health.defaults.enabled=false"
            })
    void hasNoHealthIfItIsNotWanted(String property) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("limiterHealthIndicator"));
    }

    /** Connects in the background. */
    private static void awaitRedis(AssertableApplicationContext context) {
        RateLimiters limiters = context.getBean(RateLimiters.class);
        await(() -> limiters.tryAcquire(RULE, "nobody").onFailure().isEmpty());
        assertThat(context.getBean(FailoverRateLimiterStorage.class).isAvailable())
                .isTrue();
    }
}
