package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
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

/** Requests that the web server waits for while the application stops. */
@Timeout(120)
class GracefulShutdownTests {

    private static final CountDownLatch arrived = new CountDownLatch(1);
    private static final CountDownLatch stopping = new CountDownLatch(1);

    /** Cleaning up is also what renews the holds of concurrency limits in Redis. */
    @Test
    void storageIsCleanedUpUntilTheLastRequestIsServed() throws Exception {
        var application = (ServletWebServerApplicationContext) new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0", "server.shutdown=graceful", "spring.lifecycle.timeout-per-shutdown-phase=60s")
                .run();
        Clients clients = new Clients(application.getWebServer().getPort());
        CompletableFuture<String> last =
                CompletableFuture.supplyAsync(() -> clients.send("GET", "/long").body());
        arrived.await();
        application.close();
        assertThat(last.join()).isEqualTo("cleaned up: true");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoint.class)
    static class Application {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.build();
        }

        /** Stops after the beans of the first phase, and before the web server waits for its requests. */
        @Bean
        SmartLifecycle tellsOfTheStop() {
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

        Endpoint(RateLimiters limiters) {
            this.limiters = limiters;
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
