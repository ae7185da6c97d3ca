package dev.limiter.spring.web.route;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Finds routes with their declared patterns and methods. Ignores alternatives and negations, so that the enclosing
 * pattern applies, or an empty one.
 */
final class RouteMethods implements RouterFunctions.Visitor, RequestPredicates.Visitor {

    private record Declared(String pattern, Set<HttpMethod> methods) {}

    private final BiConsumer<String, Set<HttpMethod>> found;
    private final Deque<Declared> outer = new ArrayDeque<>();
    private Declared current = new Declared("", Set.of());
    private int opaque;

    RouteMethods(BiConsumer<String, Set<HttpMethod>> found) {
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
    public void resources(Function<ServerRequest, Optional<Resource>> lookup) {
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
    public void param(String name, String value) {}

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
