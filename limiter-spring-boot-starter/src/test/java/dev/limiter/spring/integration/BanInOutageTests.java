package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Without Redis, an instance that has a share of each limit begins no bans: the whole limit may have been kept. */
class BanInOutageTests {

    private static final String BAN = "#abnormal-usage-detected";

    @ParameterizedTest
    @CsvSource({"1, 6, 4, 0s", "3, 2, 0, 0s", "1, 6, 4, 1ms", "3, 2, 0, 1ms"})
    void isBegunByRejectionsOfTheWholeLimitAlone(int instances, int permitted, int banned, String maxWait) {
        try (ConfigurableApplicationContext application = start(instances, maxWait)) {
            Clients clients =
                    new Clients(application.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
            List<String> answers = IntStream.range(0, 15)
                    .mapToObj(i -> clients.get("/login").body())
                    .toList();
            assertThat(answers.stream().filter("served"::equals)).hasSize(permitted);
            assertThat(answers.stream().filter(body -> body.contains(BAN))).hasSize(banned);
        }
    }

    private static ConfigurableApplicationContext start(int instances, String maxWait) {
        return new SpringApplicationBuilder(Application.class)
                .properties(Stream.of(
                                "server.port=0",
                                "limiter.storage=redis",
                                "limiter.redis.instances=" + instances,
                                "spring.data.redis.port=1", // nobody listens there
                                "limiter.rules.login.paths=/login",
                                "limiter.rules.login.key=ip",
                                "limiter.rules.login.limit=6",
                                "limiter.rules.login.window=1h",
                                "limiter.rules.login.max-wait=" + maxWait,
                                "limiter.rules.login.ban.after=5",
                                "limiter.rules.login.ban.within=1h",
                                "limiter.rules.login.ban.for=1h")
                        .toArray(String[]::new))
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @GetMapping("/login")
        String served() {
            return "served";
        }
    }
}
