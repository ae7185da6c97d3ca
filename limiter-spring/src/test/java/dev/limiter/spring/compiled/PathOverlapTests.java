package dev.limiter.spring.compiled;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

class PathOverlapTests {

    @ParameterizedTest
    @CsvSource({
        "/ordrs*, /orders, false",
        "/ordrs*, /orders/{id}, false",
        "/orders*, /orders, true",
        "/ord*, /orders, true",
        "/api/{version}/ordrs*, /api/{version}/orders, false",
        "/api/{version}/ord*, /api/{version}/orders, true",
        "/*.css, /{file}, true",
        "/*.css, /{name}.js, false",
        "/a*, /*b, true",
        "/a?, /a, false",
        "/a?, /ab, true",
        "/ordrs*, /**, true",
        "/ordrs*, /{*rest}, true",
        "/ordrs/**, /orders/{id}, false",
        "/{a:x{2}}, /orders, true",
        "orders*, /orders, true",
        "/ORDERS*, /orders, false",
        "/orders/*/, /orders/{id}, false",
        "/orders/5/, /orders/{id}, false",
        "/orders//*, /orders/{id}, false",
        "/orders//**, /orders, false",
        "/orders//**, /orders/{id}, false",
        "/orders/**, /orders/, true",
        "/orders/*/, /orders/{id}/, true",
        "/orders/*/, /orders/**, true",
        "/{name}/x/, /orders/x, false",
        "/orders/{id}/items, /orders/{id}, false",
        "/orders/**, /orders, true",
        "/**, '', true",
        "/, '', true",
        "'/orders/**,/open', /orders/{id}, false",
        "'/orders/**, /open', /orders, false",
        "'/orders/**;/open', /open, false",
        "'/orders/** /open', /orders/{id}, false",
    })
    void tellsWhetherAPathMayMatchBoth(String one, String other, boolean overlap) {
        assertThat(PathOverlap.of(one, other, true, true)).isEqualTo(overlap);
        assertThat(PathOverlap.of(other, one, true, true)).isEqualTo(overlap);
    }

    @Test
    void caseMayNotCount() {
        assertThat(PathOverlap.of("/ORDERS*", "/orders", false, true)).isTrue();
    }

    @Test
    void slashAtTheEndMayNotCount() {
        assertThat(PathOverlap.of("/orders/*/", "/orders/{id}", true, false)).isTrue();
        assertThat(PathOverlap.of("/orders/*/x/", "/orders/{id}", true, false)).isFalse();
    }

    /** All paths of up to two segments of up to three characters are tried with Spring's own patterns. */
    @Test
    void neverDeniesAPathThatMatchesBoth() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            PathPattern one = pattern(random);
            PathPattern other = pattern(random);
            boolean common = paths().anyMatch(path -> one.matches(path) && other.matches(path));
            if (common) {
                assertThat(PathOverlap.of(one.getPatternString(), other.getPatternString(), true, true))
                        .as("%s and %s, seed %s", one, other, seed)
                        .isTrue();
            }
        }
    }

    private static PathPattern pattern(Random random) {
        String text = Stream.generate(() -> segment(random))
                .limit(1 + random.nextInt(2))
                .collect(Collectors.joining("/", "/", ""));
        String end = new String[] {"/**", "/", "//", "//**", "", "", "", ""}[random.nextInt(8)];
        return PathPatternParser.defaultInstance.parse(text + end);
    }

    private static String segment(Random random) {
        return Stream.generate(() -> new String[] {"a", "b", "?", "*", "ab"}[random.nextInt(5)])
                .limit(1 + random.nextInt(3))
                .collect(Collectors.joining())
                .replaceAll("\\*+", "*");
    }

    private static Stream<PathContainer> paths() {
        return Stream.concat(
                        texts().map(text -> "/" + text),
                        texts().flatMap(first -> texts().flatMap(second ->
                                Stream.of("", "/", "//").map(end -> "/" + first + "/" + second + end))))
                .map(PathContainer::parsePath);
    }

    private static Stream<String> texts() {
        return Stream.of("", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba", "abb", "bab", "bba", "aaa", "bbb");
    }
}
