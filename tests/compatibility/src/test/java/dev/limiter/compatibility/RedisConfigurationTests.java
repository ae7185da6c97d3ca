package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** Limits use the server in the application's configuration of Spring Data Redis. */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class RedisConfigurationTests {

    private static final Rule TWO = Rule.of("two", Limit.tokenBucket(2, Duration.ofHours(1)));
    private static final String PASSWORD = "open-sesame";

    @AutoClose
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.started("--requirepass", PASSWORD);
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
    void customConnectionFactoryIsUsed() {
        assertUses(5, "by-bean", OwnFactory.class, "test.port=" + redis.port(), "spring.data.redis.port=1");
    }

    /**
     * {@code @ServiceConnection} of Testcontainers and Docker Compose provide such details, which override properties.
     */
    @Test
    void serviceConnectionIsUsed() {
        assertUses(
                7,
                "by-details",
                ServiceConnection.class,
                "test.port=" + redis.port(),
                "spring.data.redis.port=1",
                "spring.data.redis.client-name=by-details");
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

    /** A wrong password counts as an outage: limits apply in memory, and no request fails. */
    @Test
    void aWrongPasswordIsAnOutage(CapturedOutput output) {
        try (ConfigurableApplicationContext context =
                start(Properties.class, "spring.data.redis.port=" + redis.port(), "spring.data.redis.password=wrong")) {
            RateLimiters limiters = context.getBean(RateLimiters.class);
            for (int i = 0; i < 20; i++) {
                assertThat(limiters.tryAcquire(TWO, "alice").permitted()).isEqualTo(i < 2);
            }
            await(() -> output.toString().contains("Redis is unavailable"));
        }
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

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(ConnectionDetails.class)
    static class ServiceConnection {}

    /** Registers connection details under the type of the current line of Spring Boot. */
    static final class ConnectionDetails implements ImportBeanDefinitionRegistrar, EnvironmentAware {

        private static final List<String> TYPES = List.of(
                "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails");

        private int port;

        @Override
        public void setEnvironment(Environment environment) {
            port = environment.getRequiredProperty("test.port", Integer.class);
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata application, BeanDefinitionRegistry registry) {
            Class<?> type = TYPES.stream()
                    .filter(name -> ClassUtils.isPresent(name, null))
                    .map(name -> ClassUtils.resolveClassName(name, null))
                    .findFirst()
                    .orElseThrow();
            registry.registerBeanDefinition("details", details(type, port));
        }

        private static <T> RootBeanDefinition details(Class<T> type, int port) {
            Class<?> standalone = ClassUtils.resolveClassName(type.getName() + "$Standalone", type.getClassLoader());
            Object server = answering(standalone, Map.of("getHost", "127.0.0.1", "getPort", port, "getDatabase", 7));
            T details = type.cast(answering(type, Map.of("getPassword", PASSWORD, "getStandalone", server)));
            return new RootBeanDefinition(type, () -> details);
        }

        /** Implements an interface with the given results, and its default methods. */
        private static Object answering(Class<?> type, Map<String, Object> answers) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                Object answer = answers.get(method.getName());
                return switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> type.getName();
                    default -> answer != null ? answer : InvocationHandler.invokeDefault(proxy, method, arguments);
                };
            });
        }
    }
}
