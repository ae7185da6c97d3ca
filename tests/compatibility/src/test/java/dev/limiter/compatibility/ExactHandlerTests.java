package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** An exception handler for exactly the rejection is used, wherever catch-all handlers are. */
@Tag("each-line")
class ExactHandlerTests {

    @AutoClose
    private static final ConfigurableApplicationContext application = Applications.start(Application.class);

    private static final Clients clients = Applications.clientsOf(application);

    @ParameterizedTest
    @ValueSource(strings = {"/behind-another-advice", "/behind-its-own-catch-all", "/routed", "/bean"})
    void exactHandlerComesBeforeCatchAlls(String path) {
        clients.get(path);
        HttpResponse<String> answer = clients.get(path);

        assertThat(answer.statusCode()).isEqualTo(418);
        assertThat(answer.body()).contains("call");
        assertThat(answer.headers().firstValue("RateLimit")).isPresent();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Scarce.class, Plain.class, Catching.class, Everything.class, Exact.class})
    static class Application {

        @Bean
        RouterFunction<ServerResponse> route(Scarce scarce) {
            return RouterFunctions.route()
                    .GET("/routed", request -> ServerResponse.ok().body(scarce.call()))
                    .build();
        }

        @Bean("/bean")
        HttpRequestHandler bean(Scarce scarce) {
            return (request, response) -> {
                String served = scarce.call();
                response.getWriter().write(served);
            };
        }
    }

    @Service
    static class Scarce {

        @RateLimiter(limit = 1, window = "1h")
        public String call() {
            return "served";
        }
    }

    @RestController
    static class Plain {

        @Autowired
        private Scarce scarce;

        @GetMapping("/behind-another-advice")
        String call() {
            return scarce.call();
        }
    }

    @RestController
    static class Catching {

        @Autowired
        private Scarce scarce;

        @GetMapping("/behind-its-own-catch-all")
        String call() {
            return scarce.call();
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> everything() {
            return ResponseEntity.internalServerError().body("caught by the controller");
        }
    }

    @Order(1)
    @RestControllerAdvice
    static class Everything {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> everything() {
            return ResponseEntity.internalServerError().body("caught by an advice");
        }
    }

    @Order(2)
    @RestControllerAdvice
    static class Exact {

        @ExceptionHandler
        ResponseEntity<Map<String, String>> rejected(RateLimitExceededException rejection) {
            return ResponseEntity.status(418)
                    .body(Map.of("rule", rejection.decision().rule().name()));
        }
    }
}
