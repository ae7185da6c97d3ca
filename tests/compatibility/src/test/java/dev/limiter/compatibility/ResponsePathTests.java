package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @AutoClose
    private static final ConfigurableApplicationContext application =
            Applications.start(Limited.class, Applications.limiter("""
                        rules:
                          by-rule: { paths: "/rule,/rule/events", limit: 1, window: 1h }
                        """, "spring.mvc.problemdetails.enabled=false"));

    private static final Clients clients = Applications.clientsOf(application);

    @BeforeEach
    void forgetEarlierTests() {
        Applications.startAnotherDay(application);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/rule         | text/html",
                "/rule         | application/xml",
                "/rule         | text/event-stream",
                "/rule/events  | */*",
                "/handler      | application/xml;q=0.1",
                "/events       | text/event-stream",
                "/service      | image/png, */*;q=0",
                "/service      | no media type at all",
                "/caught       | text/html",
                "/routed       | */*",
                "/begun-stream | */*",
                "/begun-writer | */*"
            })
    void rejectionIsThatOfTheContractForEveryAcceptedType(String path, String accepted) {
        assertThat(clients.get(path).statusCode()).isEqualTo(200);

        HttpResponse<String> answer = clients.get(path, "Accept", accepted);

        assertThat(answer.body())
                .startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"")
                .contains("\"status\":429", "\"instance\":\"" + path + "\"", "\"violated-policies\":[\"")
                .endsWith("],\"retry-after\":3600}");
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

        @GetMapping("/rule")
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
