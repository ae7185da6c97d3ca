package dev.limiter.spring.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
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

/** Finds the routes of one pattern, and the methods that each declares. Alternatives and negations declare nothing. */
final class RouteMethods implements RouterFunctions.Visitor, RequestPredicates.Visitor {

    private record Declared(String pattern, Set<HttpMethod> methods) {}

    private final String pattern;
    private final Consumer<Set<HttpMethod>> found;
    private final Deque<Declared> outer = new ArrayDeque<>();
    private Declared current = new Declared("", Set.of());
    private int opaque;

    RouteMethods(String pattern, Consumer<Set<HttpMethod>> found) {
        this.pattern = pattern;
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
        if (current.pattern().equals(pattern)) {
            found.accept(current.methods());
        }
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
    public void resources(Function<ServerRequest, Optional<Resource>> lookup) {}

    @Override
    public void attributes(Map<String, Object> attributes) {}

    @Override
    public void unknown(RouterFunction<?> routerFunction) {}

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
