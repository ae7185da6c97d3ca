package dev.limiter.compatibility;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** A typical application: security, a catch-all exception handler, functional routes. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
    VirtualTimeSource.class,
    OpenSecurity.class,
    LimitedEndpoints.class,
    DispatchedEndpoints.class,
    TestApplication.BothLibraries.class
})
class TestApplication {

    @Bean
    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/routed/{id}", request -> ServerResponse.ok().body("routed"))
                .build();
    }

    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(RequestNotPermitted.class)
        ResponseEntity<String> theirs(RequestNotPermitted rejection) {
            return ResponseEntity.status(HttpStatus.BANDWIDTH_LIMIT_EXCEEDED).body("rejected by resilience4j");
        }

        @ExceptionHandler(RuntimeException.class)
        ResponseEntity<String> everything(RuntimeException exception) {
            return ResponseEntity.internalServerError().body("caught");
        }
    }

    /** The annotations of resilience4j and of Limiter, which have the same simple name, in one class. */
    @RestController
    static class BothLibraries {

        @io.github.resilience4j.ratelimiter.annotation.RateLimiter(name = "theirs")
        @GetMapping("/theirs")
        String theirs() {
            return "served";
        }

        @RateLimiter(limit = 3, window = "1h")
        @GetMapping("/ours")
        String ours() {
            return "served";
        }
    }
}
