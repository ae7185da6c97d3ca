package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Where a controller starts asynchronous work without Spring MVC, its permit is returned when the container says so. */
class StartedAsyncTests {

    private static ConfigurableApplicationContext application;
    private static Clients clients;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                "limiter.rules.pool.paths=/async/**",
                "limiter.rules.pool.scope=endpoint",
                "limiter.rules.pool.algorithm=concurrency",
                "limiter.rules.pool.limit=1");
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/async/complete", "/async/dispatch"})
    void permitIsReturned(String path) {
        for (int i = 0; i < 3; i++) {
            awaitPermitted(path);
        }
    }

    /** The container ends a request after its answer was read. */
    private static void awaitPermitted(String path) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (clients.get(path).statusCode() != 200) {
            assertThat(System.nanoTime()).as("permit is returned").isLessThan(deadline);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, DispatchedEndpoints.class, WaysToHandlers.Handlers.class})
    static class Application {}
}
