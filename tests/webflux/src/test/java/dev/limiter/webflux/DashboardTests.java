package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** The page of limiter-dashboard in a WebFlux application. */
@ExtendWith(OutputCaptureExtension.class)
class DashboardTests {

    private static final String RULES = "limiter.rules.all: {paths: [\"/api/**\"], key: ip, limit: 5, window: 1h}";
    static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.autoconfigure.security.reactive.ReactiveSecurityAutoConfiguration,"
            + "org.springframework.boot.actuate.autoconfigure.security.reactive.ReactiveManagementWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration";

    private static final Applications applications = new Applications();

    @AfterAll
    static void stop() {
        applications.close();
    }

    @Test
    void pageIsServedBehindSpringSecurity() {
        Clients clients = Applications.clients(applications.start(
                Secured.class,
                RULES,
                "--management.endpoints.web.exposure.include=limiter",
                "--management.endpoint.limiter.access=unrestricted"));
        String login = "Basic "
                + Base64.getEncoder().encodeToString("ann:secret".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(clients.get("/limiter/").statusCode()).isEqualTo(401);

        HttpResponse<String> moved = clients.get("/limiter", "Authorization", login);
        assertThat(moved.statusCode()).isEqualTo(302);
        assertThat(moved.headers().firstValue("Location")).hasValue("limiter/");
        assertThat(clients.get("/limiter/", "Authorization", login).body()).contains("<title>Limiter</title>");
        HttpResponse<String> script = clients.get("/limiter/page.js", "Authorization", login);
        assertThat(script.statusCode()).isEqualTo(200);
        assertThat(script.headers().firstValue("Cache-Control")).hasValue("no-cache");

        HttpResponse<String> connection = clients.get("/limiter/connection.json", "Authorization", login);
        String cookie =
                connection.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        String endpoint = JsonPath.<String>read(connection.body(), "$.endpoint") + "/all";
        String header = JsonPath.read(connection.body(), "$.csrf.header");
        List<String> tokens = JsonPath.read(connection.body(), "$.csrf.tokens");
        String change = "{\"limit\": 7}";
        assertThat(clients.post(endpoint, change, "Authorization", login, "Cookie", cookie, header, tokens.get(0))
                        .body())
                .contains("\"limit\":7");
        // last: the server may close a connection if it did not read the request
        assertThat(clients.post(endpoint, change, "Authorization", login, "Cookie", cookie)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void pageIsServedOnALoopbackAddressAndByAGatewayWithARouteForAllPaths() {
        Clients clients = Applications.clients(applications.start(
                Open.class,
                RULES,
                "--" + WITHOUT_SECURITY + ",org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
                "--server.address=127.0.0.1",
                "--spring.cloud.gateway.server.webflux.enabled=true",
                "--spring.cloud.gateway.server.webflux.routes[0].id=all",
                "--spring.cloud.gateway.server.webflux.routes[0].uri=http://127.0.0.1:1",
                "--spring.cloud.gateway.server.webflux.routes[0].predicates[0]=Path=/**"));
        assertThat(clients.get("/limiter/").body()).contains("<title>Limiter</title>");
        assertThat(clients.get("/limiter/page.js").statusCode()).isEqualTo(200);
        assertThat(clients.get("/limiter/connection.json").body()).isEqualTo("{\"endpoint\":\"/actuator/limiter\"}");
    }

    @Test
    void pageIsNotServedToEveryone(CapturedOutput output) {
        Clients clients = Applications.clients(applications.start(Open.class, RULES, "--" + WITHOUT_SECURITY));
        for (String path : List.of("", "/", "/connection.json", "/index.html", "/page.js")) {
            assertThat(clients.get("/limiter" + path).statusCode()).isEqualTo(404);
        }
        assertThat(output).contains("set server.address to a loopback address. [LIM-407]");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Open {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Secured {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(paths -> paths.anyExchange().authenticated())
                    .httpBasic(basic -> {})
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(User.withUsername("ann")
                    .password("{noop}secret")
                    .roles("ADMIN")
                    .build());
        }
    }
}
