package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.operate.BackgroundTask;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Background work starts before any request, even if beans are lazy. */
@ExtendWith(OutputCaptureExtension.class)
class LazyStartTests {

    private static final String RULES = """
            limiter:
              rules:
                orders:
                  paths: /orders
                  limit: %d
                  window: 1h
            """;

    @TempDir
    private Path folder;

    private static ConfigurableApplicationContext start(String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.lazy-initialization=true",
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--server.shutdown=immediate",
                "--management.endpoints.web.exposure.include=*"));
        Stream.of(properties).map(property -> "--" + property).forEach(arguments::add);
        return SpringApplication.run(Application.class, arguments.toArray(String[]::new));
    }

    /** Does not create any bean. */
    private static Stream<String> missing(ConfigurableApplicationContext context) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        return Stream.of(Lifecycle.class, SmartInitializingSingleton.class, BackgroundTask.class)
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                .filter(name -> name.startsWith("limiter"))
                .filter(name -> !beans.containsSingleton(name));
    }

    @Test
    void wrongRuleStopsTheStart() {
        assertThatThrownBy(() -> start("limiter.rules.a.paths=/a", "limiter.rules.a.limit=-1"))
                .hasStackTraceContaining("limiter.rules.a");
    }

    @Test
    void everyBackgroundBeanExistsAndWorks(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), RULES.formatted(5));
        try (ConfigurableApplicationContext context = start(
                "limiter.rules-file=" + file.toUri(),
                "limiter.rules.none.paths=/none",
                "limiter.rules.none.limit=1",
                "limiter.rules.none.window=1h")) {
            assertThat(missing(context)).isEmpty();
            assertThat(output).contains("may not do what you intend", "/none");
            Files.writeString(file, RULES.formatted(7));
            Clients clients =
                    new Clients(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
            Conditions.await(() -> clients.get("/orders")
                    .headers()
                    .firstValue("RateLimit-Policy")
                    .orElse("")
                    .contains("q=7"));
        }
    }

    @Test
    void everyBackgroundBeanOfRedisExists() {
        RedisServer redis = RedisServer.shared();
        try (ConfigurableApplicationContext context =
                start("limiter.storage=redis", "limiter.redis.url=redis://" + RedisServer.HOST + ":" + redis.port())) {
            assertThat(missing(context)).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @GetMapping("/orders")
        String orders() {
            return "orders";
        }

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) throws Exception {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }
}
