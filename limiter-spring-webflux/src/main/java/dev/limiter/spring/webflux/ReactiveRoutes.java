package dev.limiter.spring.webflux;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RequestPredicate;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * Finds the routes, with the pattern and the methods that each declares. Alternatives and negations declare nothing:
 * the pattern is then the one around them, empty if there is none.
 */
final class ReactiveRoutes implements RouterFunctions.Visitor, RequestPredicates.Visitor {

    private record Declared(String pattern, Set<HttpMethod> methods) {}

    private final BiConsumer<String, Set<HttpMethod>> found;
    private final Deque<Declared> outer = new ArrayDeque<>();
    private Declared current = new Declared("", Set.of());
    private int opaque;

    ReactiveRoutes(BiConsumer<String, Set<HttpMethod>> found) {
        this.found = found;
    }

    @Override
    public void startNested(RequestPredicate predicate) {
        outer.push(current);
        predicate.accept(this);
    }

    @Override
    public void endNested(RequestPredicate predicate) {
        current = outer.pop();
    }

    @Override
    public void route(RequestPredicate predicate, HandlerFunction<?> handler) {
        startNested(predicate);
        found.accept(current.pattern(), current.methods());
        endNested(predicate);
    }

    @Override
    public void method(Set<HttpMethod> methods) {
        if (opaque == 0) {
            current = new Declared(current.pattern(), methods);
        }
    }

    @Override
    public void path(String path) {
        if (opaque == 0) {
            current = new Declared(combined(current.pattern(), path), current.methods());
        }
    }

    private static String combined(String outer, String inner) {
        PathPattern nested = PathPatternParser.defaultInstance.parse(inner);
        return outer.isEmpty()
                ? nested.getPatternString()
                : PathPatternParser.defaultInstance.parse(outer).combine(nested).getPatternString();
    }

    @Override
    public void startOr() {
        opaque++;
    }

    @Override
    public void endOr() {
        opaque--;
    }

    @Override
    public void startNegate() {
        opaque++;
    }

    @Override
    public void endNegate() {
        opaque--;
    }

    @Override
    public void resources(Function<ServerRequest, Mono<Resource>> lookup) {
        found.accept(current.pattern(), Set.of());
    }

    @Override
    public void attributes(Map<String, Object> attributes) {}

    @Override
    public void unknown(RouterFunction<?> routerFunction) {
        found.accept(current.pattern(), Set.of());
    }

    @Override
    public void pathExtension(String extension) {}

    @Override
    public void header(String name, String value) {}

    @Override
    public void queryParam(String name, String value) {}

    /** New in Spring Framework 7, hence without {@code @Override}. */
    public void version(String version) {}

    @Override
    public void startAnd() {}

    @Override
    public void and() {}

    @Override
    public void endAnd() {}

    @Override
    public void or() {}

    @Override
    public void unknown(RequestPredicate predicate) {}
}
