package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shutdown lets requests finish and leaves none waiting. */
@Timeout(120)
class GracefulShutdownTests {

    private static final CountDownLatch arrived = new CountDownLatch(1);

    private static ServletWebServerApplicationContext start() {
        return (ServletWebServerApplicationContext) new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "server.shutdown=graceful",
                        "spring.lifecycle.timeout-per-shutdown-phase=60s",
                        "limiter.rules.pace.paths=/paced",
                        "limiter.rules.pace.algorithm=leaky-bucket",
                        "limiter.rules.pace.burst=100000",
                        "limiter.rules.pace.limit=1",
                        "limiter.rules.pace.window=80s",
                        "limiter.rules.pace.max-wait=1d")
                .run();
    }

    /** The cleanup also renews concurrency permits in Redis. */
    @Test
    void storageIsCleanedUpUntilTheLastRequestIsServed() throws Exception {
        ServletWebServerApplicationContext application = start();
        Clients clients = new Clients(application.getWebServer().getPort());
        CompletableFuture<String> last =
                CompletableFuture.supplyAsync(() -> clients.send("GET", "/long").body());
        arrived.await();

        application.close();

        assertThat(last.join()).isEqualTo("cleaned up: true");
    }

    @Test
    void allWaitingRequestsGetAResponse() throws IOException {
        ServletWebServerApplicationContext application = start();
        RateLimiters limiters = application.getBean(RateLimiters.class);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 301; i++) {
            sockets.add(new RawClient(application.getWebServer().getPort()).begin("/paced"));
        }
        // the first request is served, and the turn of the next one is in 80 seconds
        Conditions.await(() -> limiters.waiting() >= 300);

        application.close();

        List<Integer> statuses = new ArrayList<>();
        for (Socket socket : sockets) {
            statuses.add(RawClient.statusOf(socket));
            socket.close();
        }
        assertThat(statuses)
                .containsOnlyOnce(200)
                .filteredOn(status -> status == 429)
                .hasSize(300);
        assertThat(limiters.waiting()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoint.class)
    static class Application {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.build();
        }

        @Bean
        CountDownLatch stopping() {
            return new CountDownLatch(1);
        }

        /** Stops after the beans of the first phase, and before the web server waits for its requests. */
        @Bean
        SmartLifecycle tellsOfTheStop(CountDownLatch stopping) {
            return new SmartLifecycle() {
                private boolean running;

                @Override
                public void start() {
                    running = true;
                }

                @Override
                public void stop() {
                    running = false;
                    stopping.countDown();
                }

                @Override
                public boolean isRunning() {
                    return running;
                }

                @Override
                public int getPhase() {
                    return DEFAULT_PHASE - 1;
                }
            };
        }
    }

    @RestController
    static class Endpoint {

        private final Rule shortLived = Rule.of("short", Limit.fixedWindow(1, Duration.ofMillis(1)));
        private final RateLimiters limiters;
        private final CountDownLatch stopping;

        Endpoint(RateLimiters limiters, CountDownLatch stopping) {
            this.limiters = limiters;
            this.stopping = stopping;
        }

        @GetMapping("/paced")
        String paced() {
            return "served";
        }

        @GetMapping("/long")
        String untilTheStorageIsCleanedUp() throws InterruptedException {
            arrived.countDown();
            stopping.await();
            limiters.tryAcquire(shortLived, "key");
            boolean cleanedUp = Conditions.isMetWithin(
                    Duration.ofSeconds(30), () -> limiters.storage().size() == 0);
            return "cleaned up: " + cleanedUp;
        }
    }
}
