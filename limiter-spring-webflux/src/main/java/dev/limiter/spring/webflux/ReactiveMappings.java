package dev.limiter.spring.webflux;

import dev.limiter.spring.edge.Resources;
import dev.limiter.spring.edge.ServedPaths;
import dev.limiter.spring.edge.UnusedAnnotationsCheck;
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
import org.springframework.web.reactive.resource.CachingResourceResolver;
import org.springframework.web.reactive.resource.EncodedResourceResolver;
import org.springframework.web.reactive.resource.PathResourceResolver;
import org.springframework.web.reactive.resource.ResourceWebHandler;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The handler mappings of a WebFlux application. Thread-safe. */
public final class ReactiveMappings {

    /** A pattern that handlers are registered for; {@code methods}: empty if it declares none. */
    record ServedPattern(String pattern, Set<String> methods) {}

    /** Resolvers that find only the files of the locations, by their paths. */
    private static final Set<Class<?>> BY_PATH =
            Set.of(PathResourceResolver.class, CachingResourceResolver.class, EncodedResourceResolver.class);

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

    /** Returns the parser of the annotated mapping, which may match case-insensitively. */
    public PathPatternParser patternParser() {
        return of(RequestMappingHandlerMapping.class)
                .filter(mapping -> !isOfActuator(mapping))
                .map(RequestMappingHandlerMapping::getPathPatternParser)
                .findFirst()
                .orElse(PathPatternParser.defaultInstance);
    }

    private static boolean isOfActuator(HandlerMapping mapping) {
        return mapping.getClass().getName().contains(".actuate.");
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

    /** Returns the annotated handler methods, with their patterns. */
    public Stream<UnusedAnnotationsCheck.Mapped> annotated() {
        return of(RequestMappingInfoHandlerMapping.class)
                .flatMap(mapping -> mapping.getHandlerMethods().entrySet().stream())
                .map(mapped -> new UnusedAnnotationsCheck.Mapped(
                        mapped.getValue().getMethod(),
                        mapped.getValue().getBeanType(),
                        mapped.getKey().getPatternsCondition().getPatterns().stream()
                                .map(PathPattern::getPatternString)
                                .collect(Collectors.toSet())));
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
    ServedPaths served() {
        ServedPaths served = new ServedPaths();
        all().stream().filter(mapping -> !isOfActuator(mapping)).forEach(mapping -> add(mapping, served));
        ofRoutes().forEach(route -> {
            served.add(route.pattern.isEmpty() ? Resources.ALL_PATHS : route.pattern, route.methods);
            // there may be more below it, in conditions that do not show their paths
            served.add(route.pattern + Resources.ALL_PATHS, route.methods);
        });
        return served;
    }

    private static void add(HandlerMapping mapping, ServedPaths served) {
        if (mapping instanceof RequestMappingInfoHandlerMapping annotated) {
            annotated.getHandlerMethods().keySet().forEach(info -> {
                Set<String> methods = withImplied(info.getMethodsCondition().getMethods());
                info.getPatternsCondition()
                        .getPatterns()
                        .forEach(pattern -> served.add(pattern.getPatternString(), methods));
            });
        } else if (mapping instanceof AbstractUrlHandlerMapping urls) {
            urls.getHandlerMap().forEach((pattern, handler) -> add(pattern.getPatternString(), handler, served));
        } else if (!(mapping instanceof RouterFunctionMapping) && !isEmpty(mapping)) {
            // its paths are unknown
            served.add(Resources.ALL_PATHS, Set.of());
        }
    }

    /** Spring's mapping for static files where an application serves none. */
    private static boolean isEmpty(HandlerMapping mapping) {
        return mapping.getClass().getSimpleName().equals("EmptyHandlerMapping");
    }

    /** Spring serves HEAD as GET, and OPTIONS itself. */
    private static Set<String> withImplied(Set<RequestMethod> declared) {
        Set<String> methods = declared.stream().map(RequestMethod::name).collect(Collectors.toSet());
        if (declared.contains(RequestMethod.GET)) {
            methods.add("HEAD");
        }
        if (!declared.isEmpty()) {
            methods.add("OPTIONS");
        }
        return methods;
    }

    private static void add(String pattern, Object handler, ServedPaths served) {
        if (pattern.equals(Resources.ALL_PATHS) && handler instanceof ResourceWebHandler files) {
            served.addFiles(
                    files.getLocations(),
                    files.getResourceResolvers().stream().allMatch(resolver -> BY_PATH.contains(resolver.getClass())));
        } else {
            served.add(pattern, Set.of());
        }
    }
}
