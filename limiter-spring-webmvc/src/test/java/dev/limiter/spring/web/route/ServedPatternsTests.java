package dev.limiter.spring.web.route;

import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.urls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.web.servlet.function.RequestPredicates.GET;
import static org.springframework.web.servlet.function.RequestPredicates.POST;
import static org.springframework.web.servlet.function.RouterFunctions.nest;
import static org.springframework.web.servlet.function.RouterFunctions.route;

import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.edge.ServedPaths;
import dev.limiter.spring.rule.RuleOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.ServletContextResource;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.resource.PathResourceResolver;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;
import org.springframework.web.servlet.resource.VersionResourceResolver;

/** The startup checks know which paths the application serves. */
class ServedPatternsTests {

    @TempDir
    Path files;

    /** Returns mappings of GET /orders/{id}, POST /orders, and /any for all methods. */
    @ParameterizedTest
    @CsvSource({
        "/orders/{id}, , true",
        "/orders/7, , true",
        "/orders/**, , true",
        "/orders/{id}, POST, false",
        "/orders, GET, false",
        "/orders, POST, true",
        "/order, , false",
        "/orders/{id}/items, , false",
        "/ordrs*, , false",
        "/ordrs*/{id}, , false",
        "/ord*, GET, false",
        "/ord*, POST, true",
        "/ord*/{id}, GET, true",
        "/?ny, , true",
        "/?nny, , false",
        "/any, DELETE, true",
        "/*, DELETE, true",
        "/**, , true"
    })
    void endpointIsUnderARuleOfItsPathAndMethod(String path, @Nullable String method, boolean any) {
        ServedPaths served = served(annotated("GET /orders/{id}", "POST /orders", "/any"));
        assertThat(anyUnder(served, path, method, List.of())).isEqualTo(any);
    }

    @ParameterizedTest
    @CsvSource({"/orders/**, false", "/orders/{id}, false", "/orders, true", "/other, true"})
    void excludedEndpointIsUnderNoRule(String excluded, boolean any) {
        ServedPaths served = served(annotated("GET /orders/{id}"));
        assertThat(anyUnder(served, "/orders/**", null, List.of(excluded))).isEqualTo(any);
    }

    /** Returns routes GET /a/b and POST /a/c, the second one nested. */
    @ParameterizedTest
    @CsvSource({
        "/a/b, GET, true",
        "/a/b, POST, false",
        "/a/c, POST, true",
        "/a/c/more, POST, true",
        "/a/d, , false",
        "/c, , false"
    })
    void routesOfFunctionsAreServed(String path, @Nullable String method, boolean any) {
        RouterFunctionMapping routes = new RouterFunctionMapping(route(
                        GET("/a/b"), request -> ServerResponse.ok().build())
                .and(nest(
                        RequestPredicates.path("/a"),
                        route(POST("/c"), request -> ServerResponse.ok().build()))));
        assertThat(anyUnder(served(routes), path, method, List.of())).isEqualTo(any);
    }

    @ParameterizedTest
    @CsvSource({"/css/**, true", "/css/a.css, true", "/css/b.css, false", "/js/**, false", "/{any}, true"})
    void filesAreServedWhereTheyAre(String path, boolean any) throws Exception {
        Files.createDirectory(files.resolve("css"));
        Files.writeString(files.resolve("css/a.css"), "");
        ResourceHttpRequestHandler handler = new ResourceHttpRequestHandler();
        handler.setLocations(List.of(new FileSystemResource(files + "/")));
        handler.afterPropertiesSet();
        assertThat(anyUnder(served(urls(Map.of("/**", handler))), path, null, List.of()))
                .isEqualTo(any);
    }

    @ParameterizedTest
    @CsvSource({
        "/**, true",
        "/{*any}, true",
        "/limiter/*, true",
        "/limiter/spring/web/route/{name}.class, true",
        "/limiter/ordrs/*.class, false",
        "/ordrs/*, false",
        "/ordrs/{id:[0-9]+}, false",
        "/ordrs/{id}/lines, false"
    })
    void filesMayBeWhereTheFolderBeforeAWildcardIs(String path, boolean any) throws Exception {
        ResourceHttpRequestHandler handler = new ResourceHttpRequestHandler();
        handler.setLocations(List.of(
                new ClassPathResource("META-INF/resources/"),
                new ClassPathResource("dev/"),
                new ServletContextResource(new MockServletContext("static"), "/")));
        handler.afterPropertiesSet();
        assertThat(anyUnder(served(urls(Map.of("/**", handler))), path, null, List.of()))
                .isEqualTo(any);
    }

    /** A custom resolver may serve the start page of a browser application, or remove a version from the path. */
    @Test
    void resolverOfAnotherKindMayFindAFileForAnyPath() throws Exception {
        ResourceHttpRequestHandler handler = new ResourceHttpRequestHandler();
        handler.setLocations(List.of(new FileSystemResource(files + "/")));
        handler.setResourceResolvers(List.of(new VersionResourceResolver(), new PathResourceResolver()));
        handler.afterPropertiesSet();
        assertThat(anyUnder(served(urls(Map.of("/**", handler))), "/v1/*", null, List.of()))
                .isTrue();
    }

    @Test
    void mappingOfAnUnknownKindMayServeAnything() {
        HandlerMapping unknown = request -> null;
        assertThat(anyUnder(served(unknown), "/anything", "GET", List.of())).isTrue();
    }

    @Test
    void handlersOfUrlsAreServedWithTheRootAndTheDefaultOne() {
        SimpleUrlHandlerMapping mapping = urls(Map.of("/ping", new Object()));
        assertThat(anyUnder(served(mapping), "/ping", null, List.of())).isTrue();
        assertThat(anyUnder(served(mapping), "/", null, List.of())).isFalse();
        mapping.setRootHandler(new Object());
        assertThat(anyUnder(served(mapping), "/", null, List.of())).isTrue();
        assertThat(anyUnder(served(mapping), "/pong", null, List.of())).isFalse();
        mapping.setDefaultHandler(new Object());
        assertThat(anyUnder(served(mapping), "/pong", null, List.of())).isTrue();
    }

    @Test
    void longerPatternIsFoundBelowAPath() {
        ServedPaths served = served(annotated("GET /orders/{id}", "POST /orders", "/any"));
        assertThat(served.below("/orders")).contains("/orders/{id}");
        assertThat(served.below("/any")).isEmpty();
        assertThat(served.below("/order")).isEmpty();
    }

    private static ServedPaths served(HandlerMapping... mappings) {
        return new ServedPatterns(Stream.of(mappings)).paths();
    }

    private static boolean anyUnder(ServedPaths served, String path, @Nullable String method, List<String> excluded) {
        RuleSet rules = ruleSet(
                null, excluded, rule("test", path).set(RuleOptions.METHODS, method == null ? null : List.of(method)));
        return served.anyUnder(rules.pathRules().get(0), path, rules);
    }
}
