package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Limits are where the application's own configuration of Spring Data Redis says. */
@ExtendWith(OutputCaptureExtension.class)
class RedisConfigurationTests {

    private static final Rule TWO = Rule.of("two", Limit.tokenBucket(2, Duration.ofHours(1)));
    private static final String PASSWORD = "open-sesame";

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.started("--requirepass", PASSWORD);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void propertiesSayWhichServerAndHow() {
        assertUses(
                3,
                "by-properties",
                Properties.class,
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "spring.data.redis.password=" + PASSWORD,
                "spring.data.redis.database=3",
                "spring.data.redis.client-name=by-properties");
    }

    @Test
    void anOwnConnectionFactorySaysWhichServerAndHow() {
        assertUses(5, "by-bean", OwnFactory.class, "test.port=" + redis.port(), "spring.data.redis.port=1");
    }

    private static void assertUses(int database, String clientName, Class<?> application, String... properties) {
        try (ConfigurableApplicationContext context = start(application, properties)) {
            RateLimiters limiters = context.getBean(RateLimiters.class);
            await(() -> limiters.tryAcquire(TWO, "nobody").onFailure().isEmpty());
            limiters.tryAcquire(TWO, "alice", 2);

            assertThat(limiters.tryAcquire(TWO, "alice").permitted()).isFalse();
            List<String> keys = redis.ask(commands -> {
                commands.select(database);
                return commands.keys("limiter:{two:alice}*");
            });
            assertThat(keys).hasSize(1);
            String clients = redis.ask(commands -> commands.clientList());
            assertThat(clients).contains("name=" + clientName);
        }
    }

    /** No request gets in with it, and none gets an error. */
    @Test
    void aWrongPasswordIsAnOutage(CapturedOutput output) {
        try (ConfigurableApplicationContext context =
                start(Properties.class, "spring.data.redis.port=" + redis.port(), "spring.data.redis.password=wrong")) {
            RateLimiters limiters = context.getBean(RateLimiters.class);
            for (int i = 0; i < 20; i++) {
                assertThat(limiters.tryAcquire(TWO, "alice").permitted()).isEqualTo(i < 2);
            }
            await(() -> output.toString().contains("Redis does not decide on limits"));
        }
    }

    @Test
    void withoutLettuceTheStartStopsAndNamesTheDependency(CapturedOutput output) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(
                        new DefaultResourceLoader(new FilteredClassLoader("io.lettuce")), Properties.class)
                .web(WebApplicationType.NONE);

        assertThatThrownBy(() -> application
                        .run("--spring.config.name=none", "--limiter.storage=redis")
                        .close())
                .isNotNull();

        assertThat(output.toString().substring(output.toString().indexOf("APPLICATION FAILED TO START")))
                .contains("limiter.storage", "org.springframework.boot:spring-boot-starter-data-redis");
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return Applications.startWithoutWeb(
                application,
                Stream.concat(Stream.of("limiter.storage=redis", "limiter.redis.timeout=5s"), Stream.of(properties))
                        .toArray(String[]::new));
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Properties {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class OwnFactory {

        @Bean
        LettuceConnectionFactory redisConnections(@Value("${test.port}") int port) {
            RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
            server.setPassword(PASSWORD);
            server.setDatabase(5);
            return new LettuceConnectionFactory(
                    server,
                    LettuceClientConfiguration.builder().clientName("by-bean").build());
        }
    }
}
