package dev.limiter.compatibility;

import static dev.limiter.test.LimiterAssertions.assertThatAnswer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.WithVirtualTime;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** With URL and method security. Each limit is two per hour. */
@SpringBootTest(
        classes = SecuredApplicationTests.Application.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.name=none",
            "limiter.rules.admin.paths=/admin/**",
            "limiter.rules.admin.limit=2",
            "limiter.rules.admin.window=1h"
        })
@Tag("each-line")
@WithVirtualTime
class SecuredApplicationTests {

    private Clients clients;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        clients = new Clients(port);
    }

    @Test
    void requestThatIsKeptOutByItsUrlDoesNotCount() {
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get("/admin/users").statusCode()).isEqualTo(401);
            assertThat(get("/admin/users", "alice").statusCode()).isEqualTo(403);
        }

        assertTwoPermitted("/admin/users", "admin");
    }

    @Test
    void callThatIsNotAllowedDoesNotCount() {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/purge", "alice").statusCode()).isEqualTo(403);
        }

        assertTwoPermitted("/purge", "admin");
    }

    @Test
    void everyUserHasAnOwnBucketOfAMethodThatAHandlerCalls() {
        assertTwoPermitted("/report", "alice");
        assertTwoPermitted("/report", "bob");
    }

    private void assertTwoPermitted(String path, String user) {
        assertThat(get(path, user).statusCode()).isEqualTo(200);
        assertThat(get(path, user).statusCode()).isEqualTo(200);
        assertThatAnswer(get(path, user)).isRejected();
    }

    private HttpResponse<String> get(String path, String user) {
        String credentials = Base64.getEncoder().encodeToString((user + ":x").getBytes(UTF_8));
        return clients.get(path, "Authorization", "Basic " + credentials);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableMethodSecurity
    @Import({Endpoints.class, Reports.class})
    static class Application {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/admin/**")
                            .hasRole("ADMIN")
                            .anyRequest()
                            .authenticated())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice").password("{noop}x").roles("USER").build(),
                    User.withUsername("bob").password("{noop}x").roles("USER").build(),
                    User.withUsername("admin")
                            .password("{noop}x")
                            .roles("ADMIN")
                            .build());
        }
    }

    @RestController
    static class Endpoints {

        @Autowired
        private Reports reports;

        @GetMapping("/admin/users")
        String users() {
            return "users";
        }

        @GetMapping("/purge")
        String purge() {
            return reports.purge();
        }

        @GetMapping("/report")
        String report() {
            return reports.report();
        }
    }

    static class Reports {

        @PreAuthorize("hasRole('ADMIN')")
        @RateLimiter(limit = 2, window = "1h")
        public String purge() {
            return "purged";
        }

        @RateLimiter(limit = 2, window = "1h", key = "principal")
        public String report() {
            return "report";
        }
    }
}
