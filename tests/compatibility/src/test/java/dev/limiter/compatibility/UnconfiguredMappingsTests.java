package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.handler.AbstractWebSocketHandler;

/** An application that extends {@link WebMvcConfigurationSupport}, and so ignores Spring MVC configurers of others. */
@Tag("each-line")
class UnconfiguredMappingsTests {

    @AutoClose
    private static final ConfigurableApplicationContext application = Applications.start(
            Application.class, Applications.limiter("""
                    web: { default-limit: { limit: 2, window: 1h }, exclude: /never }
                    rules:
                      paced:
                        { paths: "/socket,/slow", scope: endpoint, algorithm: leaky-bucket, limit: 10, window: 1s,
                          max-wait: 30s }
                    """, "management.endpoint.health.show-components=always"));

    private static final Clients clients = Applications.clientsOf(application);

    @ParameterizedTest
    @CsvSource({"/hello, 200", "/sockjs/info, 200"})
    void mappingsWithoutSpringMvcConfigurationAreLimited(String path, int status) {
        assertThat(clients.get(path).statusCode()).isEqualTo(status);
        assertThat(clients.get(path).statusCode()).isEqualTo(status);
        assertThat(clients.get(path).statusCode()).isEqualTo(429);
    }

    @Test
    void handlerOfAllOtherUrlsIsOneResource() {
        assertThat(clients.get("/invented/1").statusCode()).isEqualTo(204);
        assertThat(clients.get("/invented/2").statusCode()).isEqualTo(204);
        assertThat(clients.get("/invented/3").statusCode()).isEqualTo(429);
        assertThat(resources()).isNotEmpty().noneMatch(resource -> resource.contains("invented"));
    }

    private static List<String> resources() {
        Stream<Meter> meters = application.getBean(MeterRegistry.class).find("limiter.decisions").meters().stream();
        return meters.map(meter -> meter.getId().getTag("resource"))
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    @Test
    void requestsWaitForTheirTurn() {
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get("/slow").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void handshakesWaitForTheirTurn() throws Exception {
        for (int i = 0; i < 3; i++) {
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws://localhost:" + clients.port() + "/socket"), new WebSocket.Listener() {})
                    .get(60, TimeUnit.SECONDS);
            socket.abort();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, OwnConfiguration.class, Endpoints.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocket
    static class OwnConfiguration extends WebMvcConfigurationSupport implements WebSocketConfigurer {

        @Override
        protected void addViewControllers(ViewControllerRegistry registry) {
            registry.addStatusController("/*", HttpStatus.NO_CONTENT);
        }

        @Override
        public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new AbstractWebSocketHandler() {}, "/socket").setAllowedOrigins("*");
            registry.addHandler(new AbstractWebSocketHandler() {}, "/sockjs")
                    .setAllowedOrigins("*")
                    .withSockJS();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }

        @GetMapping("/slow")
        String slow() {
            return "slow";
        }
    }
}
