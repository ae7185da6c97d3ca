package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * A browser lets scripts of another origin read only exposed header fields, and nothing if the origin is not allowed.
 */
class CrossOriginTests {

    private static final String ORIGIN = "https://shop.example";

    @AutoClose
    private static final ConfigurableApplicationContext application =
            Applications.start(Limited.class, Applications.limiter("""
            web: { headers: both, exclude: /method }
            rules:
              by-rule:
                { paths: /**, scope: endpoint, limit: 1, window: 1h,
                  condition: "#{!#request.path.contains('early')}" }
              early:
                { paths: "/early/**,/secured/early,/mapped/early", phase: request, scope: endpoint, limit: 1,
                  window: 1h }
            """));

    private static final Clients clients = Applications.clientsOf(application);

    @BeforeEach
    void forgetEarlierTests() {
        Applications.startAnotherDay(application);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/annotated", "/mapped/1", "/secured/1", "/method", "/early/1", "/mapped/early", "/secured/early"
            })
    void scriptOfAnotherOriginCanReadPermittedAndRejected(String path) {
        HttpResponse<String> permitted = clients.get(path, "Origin", ORIGIN);
        assertThat(permitted.statusCode()).isEqualTo(200);
        assertReadable(permitted);

        HttpResponse<String> rejected = clients.get(path, "Origin", ORIGIN);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertReadable(rejected);
        assertThat(exposed(rejected)).contains("Retry-After");

        assertThat(clients.get(path).headers().map())
                .as("a request of the page itself")
                .doesNotContainKeys("access-control-allow-origin", "access-control-expose-headers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/early/plain"})
    void originThatIsNotAllowedIsNotAllowedByARejection(String path) {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> answer = clients.get(path, "Origin", ORIGIN);
            assertThat(answer.statusCode()).isEqualTo(i == 0 ? 200 : 429);
            assertThat(answer.headers().map())
                    .doesNotContainKeys("access-control-allow-origin", "access-control-expose-headers");
        }
        assertThat(clients.get("/annotated", "Origin", "https://evil.example").statusCode())
                .isEqualTo(403);
    }

    @Test
    void headersExposedByTheApplicationAreKept() {
        for (int i = 0; i < 2; i++) {
            List<String> exposed = exposed(clients.get("/exposing", "Origin", ORIGIN));
            assertThat(exposed).startsWith("X-Total", "ratelimit").contains("RateLimit-Policy");
            assertThat(exposed.stream().filter("RateLimit"::equalsIgnoreCase)).hasSize(1);
        }
    }

    @Test
    void everythingExposedIsEnough() {
        for (int i = 0; i < 2; i++) {
            assertThat(exposed(clients.get("/exposing-all", "Origin", ORIGIN))).containsExactly("*");
        }
    }

    private static void assertReadable(HttpResponse<String> answer) {
        assertThat(answer.headers().allValues("Access-Control-Allow-Origin")).hasSize(1);
        assertThat(answer.headers().firstValue("RateLimit")).isPresent();
        assertThat(exposed(answer))
                .contains(
                        "RateLimit",
                        "RateLimit-Policy",
                        "X-RateLimit-Limit",
                        "X-RateLimit-Remaining",
                        "X-RateLimit-Reset");
    }

    private static List<String> exposed(HttpResponse<String> answer) {
        return answer.headers().allValues("Access-Control-Expose-Headers").stream()
                .flatMap(field -> Arrays.stream(field.split(", ")))
                .toList();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, Controller.class})
    static class Limited {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) throws Exception {
            return http.cors(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        /** Used by Spring Security's filter. Other paths are left to Spring MVC. */
        @Bean
        CorsConfigurationSource corsConfigurationSource() {
            CorsConfiguration configuration = new CorsConfiguration();
            configuration.addAllowedOrigin(ORIGIN);
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/secured/**", configuration);
            return source;
        }

        @Bean
        WebMvcConfigurer mappings() {
            return new WebMvcConfigurer() {
                @Override
                public void addCorsMappings(CorsRegistry registry) {
                    registry.addMapping("/mapped/**").allowedOriginPatterns("https://*.example");
                }
            };
        }
    }

    @RestController
    static class Controller {

        @GetMapping({"/plain", "/early/plain", "/mapped/{id}", "/secured/{id}"})
        String plain() {
            return "served";
        }

        @CrossOrigin(ORIGIN)
        @GetMapping({"/annotated", "/early/1"})
        String annotated() {
            return "served";
        }

        @CrossOrigin(ORIGIN)
        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/method")
        String limited() {
            return "served";
        }

        @CrossOrigin(
                origins = ORIGIN,
                exposedHeaders = {"X-Total", "ratelimit"})
        @GetMapping("/exposing")
        String exposing() {
            return "served";
        }

        @CrossOrigin(exposedHeaders = "*")
        @GetMapping("/exposing-all")
        String exposingAll() {
            return "served";
        }
    }
}
