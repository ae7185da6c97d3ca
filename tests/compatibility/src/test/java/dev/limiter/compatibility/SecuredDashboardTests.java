package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;

/** The page of an application with Spring Security: only users with the rights of an operator can use it. */
class SecuredDashboardTests {

    private static final String CHANGE = "{\"limit\": 7}";

    private ConfigurableApplicationContext start(String tokens) {
        return Applications.start(
                Secured.class,
                Applications.limiter(
                        """
                        rules:
                          all: { paths: /api, limit: 5, window: 1h }
                        """,
                        "tokens=" + tokens,
                        "management.endpoints.web.exposure.include=limiter",
                        "management.endpoint.limiter.access=unrestricted"));
    }

    /** A user with their own browser session. */
    private record Person(String name, String server, HttpClient browser) {

        static Person of(String name, ConfigurableApplicationContext application) {
            return new Person(
                    name,
                    "http://localhost:" + Applications.clientsOf(application).port(),
                    HttpClient.newBuilder().cookieHandler(new CookieManager()).build());
        }

        HttpResponse<String> send(String method, String path, String body, String... headers)
                throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
            if (!name.isEmpty()) {
                String login = name + ":secret";
                request.header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
            }
            if (headers.length > 0) {
                request.headers(headers);
            }
            return browser.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }

        int status(String path) throws IOException, InterruptedException {
            return send("GET", path, "").statusCode();
        }

        /** Changes the rule as the page does, trying one token after the other. */
        int change(Map<String, Object> connection) throws IOException, InterruptedException {
            List<String> tokens = JsonPath.read(connection, "$.csrf.tokens");
            int status = 403;
            for (int i = 0; status == 403 && i < tokens.size(); i++) {
                status = change(connection, tokens.get(i));
            }
            return status;
        }

        private int change(Map<String, Object> connection, String token) throws IOException, InterruptedException {
            return send(
                            "POST",
                            connection.get("endpoint") + "/all",
                            CHANGE,
                            "Content-Type",
                            "application/json",
                            JsonPath.read(connection, "$.csrf.header"),
                            token)
                    .statusCode();
        }

        Map<String, Object> connection() throws IOException, InterruptedException {
            return JsonPath.read(send("GET", "/limiter/connection.json", "").body(), "$");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "cookie", "unmasked"})
    void changesNeedTheTokenOfThePage(String tokens) throws IOException, InterruptedException {
        try (ConfigurableApplicationContext application = start(tokens)) {
            Person operator = Person.of("operator", application);
            String change = "/actuator/limiter/all";
            assertThat(operator.send("POST", change, CHANGE, "Content-Type", "application/json")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(operator.send("DELETE", change, "").statusCode()).isEqualTo(403);

            assertThat(operator.change(operator.connection())).isEqualTo(200);
            assertThat(operator.send("GET", change, "").body()).contains("\"limit\":7");

            Person another = Person.of("operator", application);
            Map<String, Object> ofAnother = another.connection();
            assertThat(operator.change(ofAnother))
                    .as("the token of another session")
                    .isEqualTo(403);
            assertThat(another.change(ofAnother)).isEqualTo(200);
        }
    }

    @Test
    void otherUsersGetNeitherThePageNorTheNumbers() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext application = start("session")) {
            for (String path : new String[] {"/limiter/", "/limiter/connection.json", "/actuator/limiter"}) {
                assertThat(Person.of("", application).status(path)).as(path).isEqualTo(401);
                assertThat(Person.of("guest", application).status(path))
                        .as(path)
                        .isEqualTo(403);
                assertThat(Person.of("operator", application).status(path))
                        .as(path)
                        .isEqualTo(200);
            }
            HttpResponse<String> markedByThePage = Person.of("", application)
                    .send("GET", "/actuator/limiter", "", "X-Requested-With", "XMLHttpRequest");
            assertThat(markedByThePage.statusCode()).isEqualTo(401);
            assertThat(markedByThePage.headers().map())
                    .as("the browser would prompt for a password")
                    .doesNotContainKey("www-authenticate");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Secured {

        @Bean
        SecurityFilterChain operators(HttpSecurity http, Environment environment) throws Exception {
            return http.httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> protect(csrf, environment.getRequiredProperty("tokens")))
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/limiter/**", "/actuator/**")
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .permitAll())
                    .build();
        }

        private static void protect(CsrfConfigurer<HttpSecurity> csrf, String tokens) {
            if (!tokens.equals("session")) {
                csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse());
            }
            if (tokens.equals("unmasked")) {
                csrf.csrfTokenRequestHandler(new CsrfTokenRequestAttributeHandler());
            }
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("operator")
                            .password("{noop}secret")
                            .roles("OPERATOR")
                            .build(),
                    User.withUsername("guest")
                            .password("{noop}secret")
                            .roles("GUEST")
                            .build());
        }
    }
}
