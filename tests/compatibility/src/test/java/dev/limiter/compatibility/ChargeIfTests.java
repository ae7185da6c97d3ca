package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.Callable;
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
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Only failures are charged; and who goes on is banned. */
@Tag("each-line")
class ChargeIfTests {

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class,
                "limiter.rules.failures.paths=/**",
                "limiter.rules.failures.key=header:X-Api-Key",
                "limiter.rules.failures.limit=1",
                "limiter.rules.failures.window=30d",
                "limiter.rules.failures.charge-if=#{#response.status >= 400}",
                "limiter.rules.failures.deny=192.0.2.0/24",
                "limiter.rules.failures.ban.after=2",
                "limiter.rules.failures.ban.within=1m",
                "limiter.rules.failures.ban.for=15m",
                "limiter.rules.moved.paths=/redirect,/redirect-303",
                "limiter.rules.moved.key=header:X-Api-Key",
                "limiter.rules.moved.limit=1",
                "limiter.rules.moved.window=30d",
                // a server may put its own address before it
                "limiter.rules.moved.charge-if=#{#response.getHeader('Location').endsWith('/error')}");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/entity", "/error-sent", "/large", "/callable", "/deferred", "/streaming", "/redirect"})
    void onlyFailuresAreCharged(String path) {
        Clients clients = Applications.clientsOf(application);
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> free = clients.get(path + "?status=200", "X-Api-Key", path);
            assertThat(free.statusCode()).isLessThan(400);
            assertThat(free.headers().firstValue("RateLimit"))
                    .isEqualTo(free.statusCode() < 300 ? Optional.of("\"failures\";r=1;t=2592000") : Optional.empty());
        }
        assertThat(clients.get(path + "?status=401", "X-Api-Key", path).statusCode())
                .isEqualTo(401);
        assertThat(clients.get(path + "?status=200", "X-Api-Key", path).statusCode())
                .isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/redirect", "/redirect-303"})
    void redirectionsAreToldByWhereTheyLead(String path) {
        Clients clients = Applications.clientsOf(application);
        String key = "to" + path;
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get(path + "?status=200", "X-Api-Key", key).statusCode())
                    .isBetween(300, 399);
        }
        assertThat(clients.get(path + "?status=200&to=/error", "X-Api-Key", key).statusCode())
                .isBetween(300, 399);
        assertThat(clients.get(path + "?status=200", "X-Api-Key", key).statusCode())
                .isEqualTo(429);
    }

    @Test
    void whatNobodyHandlesIsAFailure() {
        Clients clients = Applications.clientsOf(application);

        assertThat(clients.get("/unhandled", "X-Api-Key", "x").statusCode()).isEqualTo(500);
        assertThat(clients.get("/unhandled", "X-Api-Key", "x").statusCode()).isEqualTo(429);
    }

    @Test
    void whoGoesOnIsBanned() {
        Clients clients = Applications.clientsOf(application);
        clients.get("/entity?status=401", "X-Api-Key", "ban");
        clients.get("/entity?status=401", "X-Api-Key", "ban");
        clients.get("/entity?status=401", "X-Api-Key", "ban");

        HttpResponse<String> banned = clients.get("/entity?status=200", "X-Api-Key", "ban");

        assertThat(banned.statusCode()).isEqualTo(429);
        assertThat(banned.body()).contains("#abnormal-usage-detected");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping("/entity")
        ResponseEntity<String> entity(int status) {
            return ResponseEntity.status(status).body("answer");
        }

        @GetMapping("/error-sent")
        void errorSent(int status, HttpServletResponse response) throws IOException {
            if (status >= 400) {
                response.sendError(status);
            }
        }

        @GetMapping("/redirect")
        void redirect(int status, @RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws IOException {
            if (status >= 400) {
                response.sendError(status);
            } else {
                response.sendRedirect(to);
            }
        }

        /** With the method of Servlet 6.1, where there is one. */
        @GetMapping("/redirect-303")
        void seeOther(@RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws ReflectiveOperationException, IOException {
            Method send =
                    ReflectionUtils.findMethod(HttpServletResponse.class, "sendRedirect", String.class, int.class);
            if (send == null) {
                response.sendRedirect(to);
            } else {
                send.invoke(response, to, 303);
            }
        }

        @GetMapping("/large")
        void large(int status, HttpServletResponse response) throws IOException {
            response.setStatus(status);
            response.getWriter().write("x".repeat(100_000));
        }

        @GetMapping("/callable")
        Callable<ResponseEntity<String>> callable(int status) {
            return () -> entity(status);
        }

        @GetMapping("/deferred")
        DeferredResult<ResponseEntity<String>> deferred(int status) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
            new Thread(() -> result.setResult(entity(status))).start();
            return result;
        }

        @GetMapping("/streaming")
        ResponseEntity<StreamingResponseBody> streaming(int status) {
            return ResponseEntity.status(status).body(out -> out.write("streamed".getBytes("UTF-8")));
        }

        @GetMapping("/unhandled")
        String unhandled() {
            throw new IllegalStateException("failed on purpose");
        }
    }
}
