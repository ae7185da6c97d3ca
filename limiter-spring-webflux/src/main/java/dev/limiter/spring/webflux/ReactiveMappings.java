package dev.limiter.spring.webflux;

import dev.limiter.spring.edge.Resources;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.HttpMethod;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.handler.AbstractUrlHandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;

/** The handler mappings of a WebFlux application. Thread-safe. */
public final class ReactiveMappings {

    /** A pattern that handlers are registered for; {@code methods}: empty if it declares none. */
    record ServedPattern(String pattern, Set<String> methods) {}

    private final Supplier<List<HandlerMapping>> mappings;

    /** Read with the first request: mappings are made late. */
    public ReactiveMappings(ApplicationContext application) {
        this.mappings = SingletonSupplier.of(() -> {
            List<HandlerMapping> found = new ArrayList<>(
                    BeanFactoryUtils.beansOfTypeIncludingAncestors(application, HandlerMapping.class, true, false)
                            .values());
            AnnotationAwareOrderComparator.sort(found);
            return List.copyOf(found);
        });
    }

    /** All mappings, in the order in which they are asked for a handler. */
    List<HandlerMapping> all() {
        return mappings.get();
    }

    <T> Stream<T> of(Class<T> type) {
        return all().stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns the one method that the mapping declares for such a request, or {@link Resources#ANY_METHOD}. */
    String declaredMethod(Object handler, String pattern, String requestMethod) {
        Stream<ServedPattern> declared =
                handler instanceof HandlerMethod method ? ofMethod(method.getMethod()) : ofRoutes();
        Set<String> fitting = declared.filter(mapped -> mapped.pattern.equals(pattern))
                .map(ServedPattern::methods)
                .filter(methods -> methods.contains(requestMethod))
                .findFirst()
                .orElse(Set.of());
        return fitting.size() == 1 ? requestMethod : Resources.ANY_METHOD;
    }

    private Stream<ServedPattern> ofMethod(Method handling) {
        return of(RequestMappingInfoHandlerMapping.class)
                .flatMap(mapping -> mapping.getHandlerMethods().entrySet().stream())
                .filter(entry -> entry.getValue().getMethod().equals(handling))
                .flatMap(entry -> {
                    Set<String> methods = entry.getKey().getMethodsCondition().getMethods().stream()
                            .map(RequestMethod::name)
                            .collect(Collectors.toSet());
                    return entry.getKey().getPatternsCondition().getPatterns().stream()
                            .map(pattern -> new ServedPattern(pattern.getPatternString(), methods));
                });
    }

    private Stream<ServedPattern> ofRoutes() {
        List<ServedPattern> routes = new ArrayList<>();
        of(RouterFunctionMapping.class).forEach(mapping -> {
            RouterFunction<?> functions = mapping.getRouterFunction();
            if (functions != null) {
                functions.accept(new ReactiveRoutes((pattern, methods) -> routes.add(new ServedPattern(
                        pattern, methods.stream().map(HttpMethod::name).collect(Collectors.toSet())))));
            }
        });
        return routes.stream();
    }

    /** Everything that the application serves, as far as its mappings show; without Actuator. */
    Stream<ServedPattern> served() {
        Stream<ServedPattern> annotated = of(RequestMappingInfoHandlerMapping.class)
                .filter(mapping -> !mapping.getClass().getName().contains(".actuate."))
                .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                .map(HandlerMethod::getMethod)
                .distinct()
                .flatMap(this::ofMethod);
        Stream<ServedPattern> urls = of(AbstractUrlHandlerMapping.class)
                .flatMap(mapping -> mapping.getHandlerMap().keySet().stream())
                .map(pattern -> new ServedPattern(pattern.getPatternString(), Set.of()));
        return Stream.of(annotated, ofRoutes(), urls).flatMap(served -> served);
    }
}
