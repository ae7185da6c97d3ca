package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPatternParser;

/** No spelling of a path avoids a rule, and a rule does not apply to other paths. */
class PathPatternsTests {

    @ParameterizedTest(name = "{0} covers {2} of {1}: {3}")
    @CsvSource({
        "/api/orders/**, /api/orders/{id}, /api/orders/7, true",
        "/api/orders/**, /api/orders, /api/orders, true",
        "/api/orders/**, /api/ordersets, /api/ordersets, false",
        "/api/orders/{x}, /api/orders/{id}, /api/orders/7, true",
        "/api/orders/*, /api/orders/{id}, /api/orders/7, true",
        "api/orders/*, /api/orders/{id}, /api/orders/7, true",
        "/api/orders, /api/orders/{id}, /api/orders/7, false",
        // The endpoint's own pattern matches, for any spelling that Spring routed to it.
        "/api/orders, /api/orders, /api/orders;x=1, true",
        "/api/orders, /api/orders, /API/Orders/, true",
        "/api/orders/**, /api/orders/{id}, //api/orders/7, true",
        // A literal segment below a variable.
        "/api/orders/export, /api/orders/{id}, /api/orders/export, true",
        "/api/orders/export, /api/orders/{id}, /api/orders/e%78port, true",
        "/api/orders/export, /api/orders/{id}, /api/orders/export;x=1, true",
        "/api/orders/export, /api/orders/{id}, /api/orders/7, false",
        "/api/orders/{id:\\d+}, /api/orders/{id}, /api/orders/7, true",
        "/api/orders/{id:\\d+}, /api/orders/{id}, /api/orders/x, false",
        // Paths without an endpoint.
        "/assets/**, /**, /assets/app.js, true",
        "/assets/*, /**, /assets/app.js, true",
        "/*, /**, /assets/app.js, false",
        "/{any}, /**, /assets/app.js, false",
        "/**, /**, /assets/app.js, true",
        "/files/*, /files/**, /files/a/b, false",
        "/files/*, /files/{*rest}, /files/a/b, false",
        "/files/**, /files/{*rest}, /files/a/b, true",
        "/orders/**, '', /orders/7, true",
        // Other spellings of a static resource.
        "/assets/app.js, /**, //assets/app.js, true",
        "/assets/app.js, /**, /assets//app.js, true",
        "/assets/app.js, /**, /;x=1/assets/app.js, true",
        "/assets/app.js, /**, /./assets/app.js, true",
        "/assets/app.js, /**, /assets/%2e/app.js, true",
        "/assets/app.js, /**, /other/../assets/app.js, true",
        "/assets/app.js, /**, /assets/app.js/, true",
        "/assets/app.js, /**, /assets/app..js, false",
        "/assets/app.js, /**, /assets%2Fapp.js, true",
        "/assets/app.js, /**, /assets%5capp.js, true",
        "/assets/app.js, /**, /%2fassets/./app.js, true",
        "/assets/**, '', /assets%2f..%2fother, false",
        "/assets/, /**, /assets/, true",
        "/, /**, /, true",
        "/, /**, //, true",
    })
    void coverEndpointsAndPaths(String pattern, String endpoint, String path, boolean covered) {
        PathPatterns patterns = new PathPatterns(List.of("/never", pattern), () -> PathPatternParser.defaultInstance);

        assertThat(patterns.cover(endpoint, PathContainer.parsePath(path))).isEqualTo(covered);
        assertThat(patterns.cover(endpoint, PathContainer.parsePath(path))).isEqualTo(covered);
    }

    @ParameterizedTest
    @CsvSource({
        "/actuator/**, /**, /actuator/app.js, true",
        "/actuator/**, /**, /actuator/../app.js, false",
        "/error, /**, //error, false",
        "/error, /error, //error, true",
    })
    void coverSafelyNeedsEverySpellingToMatch(String pattern, String endpoint, String path, boolean covered) {
        PathPatterns patterns = new PathPatterns(List.of(pattern), () -> PathPatternParser.defaultInstance);

        assertThat(patterns.coverSafely(endpoint, PathContainer.parsePath(path)))
                .isEqualTo(covered);
    }
}
