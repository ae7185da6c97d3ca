package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RedisServer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Limiter's beans do not replace conditional beans of Spring Boot. */
@Tag("each-line")
class BeanCoexistenceTests {

    @Test
    void beansOfTheApplicationExistNextToLimiter() {
        try (RedisServer redis = RedisServer.started()) {
            List<String> without = beans(redis.property(), "limiter.enabled=false");
            List<String> with =
                    beans(redis.property(), "limiter.storage=redis", "management.endpoints.web.exposure.include=*");
            assertThat(without).hasSizeGreaterThan(200);
            assertThat(with).containsAll(without).hasSizeGreaterThanOrEqualTo(without.size());
        }
    }

    private static List<String> beans(String... properties) {
        try (ConfigurableApplicationContext application = Applications.start(Application.class, properties)) {
            return Arrays.stream(application.getBeanDefinitionNames())
                    .filter(name -> !name.contains("limiter"))
                    .toList();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    static class Application {}
}
