package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** Where a controller starts asynchronous work without Spring MVC, its permit is returned when the container says so. */
@Tag("each-line")
class StartedAsyncTests {

    private static ConfigurableApplicationContext application;
    private static Clients clients;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                // Tomcat counts a request whose handler throws after startAsync() until it times out, limited or not
                "server.shutdown=immediate",
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

    @Test
    void permitIsReturnedWhenTheHandlerThrowsAfterwards() {
        for (int i = 0; i < 3; i++) {
            await("/async/throw", 500);
        }
    }

    @Test
    void permitIsHeldWhileAListenerGoesOnWithTheRequest() throws Exception {
        try (Socket client = new RawClient(clients.port()).begin("/async/recover")) {
            assertThat(Throwing.RECOVERING.tryAcquire(30, TimeUnit.SECONDS)).isTrue();

            assertThat(clients.get("/async/recover").statusCode()).isEqualTo(503);
        } finally {
            Throwing.GATE.release(2);
        }
        await("/async/recover", 500);
    }

    private static void awaitPermitted(String path) {
        await(path, 200);
    }

    /** The container ends a request after its answer was read. */
    private static void await(String path, int status) {
        Conditions.await(() -> clients.get(path).statusCode() == status);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, DispatchedEndpoints.class, WaysToHandlers.Handlers.class, Throwing.class})
    static class Application {}

    @Controller
    static class Throwing {

        static final Semaphore RECOVERING = new Semaphore(0);
        static final Semaphore GATE = new Semaphore(0);

        @GetMapping("/async/throw")
        void startAndThrow(HttpServletRequest request) {
            request.startAsync();
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/async/recover")
        void recover(HttpServletRequest request) {
            request.startAsync().addListener(new Recovery());
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/recovering")
        @ResponseBody
        String recovering() {
            RECOVERING.release();
            GATE.acquireUninterruptibly();
            return "recovered";
        }
    }

    private static final class Recovery implements AsyncListener {

        @Override
        public void onError(AsyncEvent event) {
            event.getAsyncContext().dispatch("/recovering");
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
