package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Rejected requests get the response of the contract on every path, whatever the client accepts. Asynchronous work is
 * covered by {@code LaterRejectionTests} of the starter.
 */
class ResponsePathTests {

    private static ConfigurableApplicationContext application;
    private static Clients clients;

    @BeforeAll
    static void start() {
        application = Applications.start(
                Limited.class,
                Applications.limiter(
                        """
                        rules:
                          by-rule: { paths: "/rule,/rule/events", limit: 1, window: 1h }
                          shared: { paths: "/shared,/shared-and-asked", limit: 1, window: 1h, key: global }
                          asked: { paths: /shared-and-asked, limit: 10, window: 1h, key: global, headers: both }
                        """,
                        "spring.mvc.problemdetails.enabled=false",
                        "spring.messages.basename=texts.rejection",
                        "spring.messages.fallback-to-system-locale=false"));
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void forgetEarlierTests() {
        Applications.startAnotherDay(application);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/rule",
                "/handler",
                "/service",
                "/caught",
                "/events",
                "/rule/events",
                "/routed",
                "/begun-stream",
                "/begun-writer"
            })
    void rejectionIsTheContracts(String path) {
        clients.get(path);

        assertRejected(clients.get(path), path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/rule    | text/html",
                "/rule    | application/xml",
                "/rule    | text/event-stream",
                "/handler | text/html",
                "/handler | application/xml;q=0.1",
                "/events  | text/event-stream",
                "/service | image/png, */*;q=0",
                "/service | no media type at all"
            })
    void rejectionIsTheSameForEveryAcceptedType(String path, String accepted) {
        String permitted = path.equals("/events") ? "text/event-stream" : "text/plain";
        assertThat(clients.get(path, "Accept", permitted).statusCode()).isEqualTo(200);

        assertRejected(clients.get(path, "Accept", accepted), path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/rule", "/handler", "/service"})
    void headGetsEverythingExceptTheBody(String path) {
        clients.get(path);
        String body = clients.get(path).body();

        HttpResponse<String> answer = clients.send("HEAD", path);

        assertFields(answer);
        assertThat(answer.body()).isEmpty();
        assertThat(answer.headers().firstValueAsLong("Content-Length")).hasValue(body.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/rule", "/handler", "/service"})
    void textsAreInTheLanguageOfTheClient(String path) {
        clients.get(path);

        String german = clients.get(path, "Accept-Language", "de, en;q=0.5").body();
        assertThat(german)
                .contains("\"title\":\"Zu viele Anfragen\"", "ist ersch\\u00f6pft, in 3.600 Sekunden geht es weiter");
        assertThat(clients.get(path, "Accept-Language", "en").body())
                .contains("\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\"");
    }

    @Test
    void sharedLimitHasFieldsLikeOthers() {
        HttpResponse<String> permitted = clients.get("/shared");
        assertThat(permitted.statusCode()).isEqualTo(200);
        assertThat(permitted.headers().allValues("RateLimit-Policy")).containsExactly("\"shared\";q=1;w=3600");

        HttpResponse<String> rejected = clients.get("/shared-and-asked");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After")).hasValue("3600");
        assertThat(rejected.headers().allValues("RateLimit-Policy"))
                .containsExactly("\"shared\";q=1;w=3600, \"asked\";q=10;w=3600");
        assertThat(rejected.headers().allValues("X-RateLimit-Limit")).containsExactly("10");
        assertThat(rejected.body()).contains("\"violated-policies\":[\"shared\"]");
    }

    private static void assertRejected(HttpResponse<String> answer, String path) {
        assertFields(answer);
        assertThat(answer.body())
                .startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"")
                .contains("\"status\":429", "\"instance\":\"" + path + "\"", "\"violated-policies\":[\"")
                .endsWith("],\"retry-after\":3600}");
    }

    private static void assertFields(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().allValues("Content-Type"))
                .singleElement()
                .satisfies(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(answer.headers().allValues("Retry-After")).containsExactly("3600");
        assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(answer.headers().allValues("RateLimit"))
                .singleElement()
                .satisfies(field -> assertThat(field).contains(";r=0;t=3600"));
        assertThat(answer.headers().allValues("RateLimit-Policy"))
                .singleElement()
                .satisfies(field -> assertThat(field).contains(";q=1;w=3600"));
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, Catches.class, Controller.class, Own.class, Scarce.class})
    static class Limited {

        @Bean
        RouterFunction<ServerResponse> route(Scarce scarce) {
            return RouterFunctions.route()
                    .GET("/routed", request -> ServerResponse.ok().body(scarce.routed()))
                    .build();
        }
    }

    @RestControllerAdvice
    static class Catches {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> everything(Exception exception) {
            return ResponseEntity.internalServerError().body("caught by advice");
        }
    }

    @Service
    @RateLimiter(limit = 1, window = "1h")
    static class Scarce {

        public String called() {
            return "served";
        }

        public String routed() {
            return "served";
        }

        public String begun() {
            return "served";
        }
    }

    @RestController
    static class Controller {

        @Autowired
        private Scarce scarce;

        @GetMapping({"/rule", "/shared", "/shared-and-asked"})
        String byRule() {
            return "served";
        }

        @GetMapping(path = "/rule/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        SseEmitter eventsByRule() {
            return emitter();
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/handler")
        String handler() {
            return "served";
        }

        @GetMapping("/service")
        String service() {
            return scarce.called();
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        SseEmitter events() {
            return emitter();
        }

        @GetMapping("/begun-stream")
        void begunStream(HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.getOutputStream().write('x');
            scarce.begun();
        }

        @GetMapping("/begun-writer")
        void begunWriter(HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.getWriter().write('x');
            scarce.begun();
        }

        static SseEmitter emitter() {
            SseEmitter emitter = new SseEmitter();
            emitter.complete();
            return emitter;
        }
    }

    /** Catches rejections in its own handler, which also catches everything else. */
    @RestController
    static class Own {

        @Autowired
        private Scarce scarce;

        @GetMapping("/caught")
        String caught() {
            return scarce.called();
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> everything(Exception exception) {
            return ResponseEntity.internalServerError().body("caught by controller");
        }
    }
}
