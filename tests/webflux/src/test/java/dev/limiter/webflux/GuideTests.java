package dev.limiter.webflux;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import dev.limiter.TimeSource;
import dev.limiter.testkit.manual.Guide;
import dev.limiter.testkit.manual.Manual;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Runs the guides for WebFlux and for the gateway, whose services respond with their port. */
@Tag("long")
class GuideTests {

    @TempDir
    private Path folder;

    private final List<Guide> guides = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();
    private final Map<String, String> services = new HashMap<>();

    @BeforeEach
    void startServices() throws IOException {
        for (String port : List.of("9000", "9001")) {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            byte[] body = ("served on " + port).getBytes(UTF_8);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
            servers.add(server);
            services.put("localhost:" + port, "127.0.0.1:" + server.getAddress().getPort());
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Guide guide : guides) {
            guide.close();
        }
        servers.forEach(server -> server.stop(0));
    }

    @TestFactory
    Stream<DynamicContainer> guidesDoWhatTheyShow() {
        return Stream.of(guide("guides/webflux.md", false), guide("guides/gateway.md", true));
    }

    private DynamicContainer guide(String page, boolean gateway) {
        Guide guide = new Guide(
                Manual.page(page),
                folder,
                Clock.class,
                services,
                "spring.cloud.gateway.server.webflux.enabled=" + gateway,
                DashboardTests.WITHOUT_SECURITY
                        + ",org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration");
        guides.add(guide);
        return guide.steps();
    }

    /** If no request waits, time passes slowly, so that no permits come back on a slow machine. */
    @Configuration(proxyBeanMethods = false)
    static class Clock {

        @Bean
        TimeSource time(@Value("${clock.slower}") int slower) {
            long started = System.nanoTime();
            long begin = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
            return () -> begin + (System.nanoTime() - started) / slower;
        }
    }
}
