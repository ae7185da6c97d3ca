package dev.limiter.spring.web.route;

import dev.limiter.spring.edge.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.HttpMethod;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Finds the HTTP methods that mappings declare. Each call walks through all mappings, so callers cache results.
 */
final class DeclaredMethods {

    private DeclaredMethods() {}

    /** The one method that the mapping of that pattern declares for requests like this, or {@link Resources#ANY_METHOD}. */
    static String of(HandlerMappings.OfServlet servlet, Object handler, String pattern, String requestMethod) {
        List<Set<String>> declared = handler instanceof HandlerMethod method
                ? ofMethod(servlet, method, pattern)
                : ofRoutes(servlet, pattern);
        Set<String> fitting = declared.stream()
                .filter(methods -> methods.contains(requestMethod))
                .findFirst()
                .orElse(Set.of());
        return fitting.size() == 1 ? requestMethod : Resources.ANY_METHOD;
    }

    private static List<Set<String>> ofMethod(
            HandlerMappings.OfServlet servlet, HandlerMethod handler, String pattern) {
        List<Set<String>> declared = new ArrayList<>();
        servlet.of(RequestMappingInfoHandlerMapping.class)
                .forEach(mapping -> mapping.getHandlerMethods().forEach((info, mapped) -> {
                    if (mapped.getMethod().equals(handler.getMethod())
                            && info.getPatternValues().contains(pattern)) {
                        declared.add(info.getMethodsCondition().getMethods().stream()
                                .map(RequestMethod::name)
                                .collect(Collectors.toSet()));
                    }
                }));
        return declared;
    }

    private static List<Set<String>> ofRoutes(HandlerMappings.OfServlet servlet, String pattern) {
        List<Set<String>> declared = new ArrayList<>();
        servlet.of(RouterFunctionMapping.class).forEach(mapping -> {
            RouterFunction<?> routes = mapping.getRouterFunction();
            if (routes != null) {
                routes.accept(new RouteMethods((routed, methods) -> {
                    if (routed.equals(pattern)) {
                        declared.add(methods.stream().map(HttpMethod::name).collect(Collectors.toSet()));
                    }
                }));
            }
        });
        return declared;
    }
}
