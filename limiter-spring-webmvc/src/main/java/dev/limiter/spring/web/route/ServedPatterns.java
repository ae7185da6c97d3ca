package dev.limiter.spring.web.route;

import dev.limiter.spring.edge.ServedPaths;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.resource.CachingResourceResolver;
import org.springframework.web.servlet.resource.EncodedResourceResolver;
import org.springframework.web.servlet.resource.PathResourceResolver;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/** The patterns and static files that the application serves, according to its mappings. */
public final class ServedPatterns {

    private static final String ALL_PATHS = "/**";

    /** Resolvers that find only files in the locations, by path. */
    private static final Set<Class<?>> BY_PATH =
            Set.of(PathResourceResolver.class, CachingResourceResolver.class, EncodedResourceResolver.class);

    private final ServedPaths served = new ServedPaths();

    public ServedPatterns(Stream<HandlerMapping> mappings) {
        mappings.forEach(this::add);
    }

    public static boolean isOfActuator(HandlerMapping mapping) {
        return mapping.getClass().getName().contains(".actuate.");
    }

    /** Returns whether Spring Cloud Gateway routes requests. */
    public static boolean hasGateway(ApplicationContext application) {
        return new GatewayRoutes(application).exist();
    }

    /**
     * Returns whether there is a second DispatcherServlet. Its context may have further mappings.
     */
    public static boolean mayBeElsewhere(ApplicationContext application) {
        ServletContext servlets = application instanceof WebApplicationContext web ? web.getServletContext() : null;
        return servlets != null
                && servlets.getServletRegistrations().values().stream()
                                .filter(servlet -> isDispatcher(servlet, application.getClassLoader()))
                                .count()
                        > 1;
    }

    private static boolean isDispatcher(ServletRegistration servlet, @Nullable ClassLoader loader) {
        String type = servlet.getClassName();
        return type != null
                && ClassUtils.isPresent(type, loader)
                && DispatcherServlet.class.isAssignableFrom(ClassUtils.resolveClassName(type, loader));
    }

    private void add(HandlerMapping mapping) {
        if (isOfActuator(mapping)) {
            // requests to Actuator are not limited
            return;
        }
        if (mapping instanceof RequestMappingInfoHandlerMapping annotated) {
            annotated.getHandlerMethods().keySet().forEach(this::add);
        } else if (mapping instanceof RouterFunctionMapping functional) {
            add(functional.getRouterFunction());
        } else if (mapping instanceof AbstractUrlHandlerMapping urls) {
            urls.getHandlerMap().forEach(this::add);
            add(urls);
        } else {
            // its paths are unknown
            served.add(ALL_PATHS, Set.of());
        }
    }

    private void add(RequestMappingInfo info) {
        Set<RequestMethod> declared = info.getMethodsCondition().getMethods();
        Set<String> methods = declared.stream().map(RequestMethod::name).collect(Collectors.toSet());
        if (declared.contains(RequestMethod.GET)) {
            methods.add("HEAD");
        }
        if (!declared.isEmpty()) {
            // Spring MVC itself responds to it
            methods.add("OPTIONS");
        }
        info.getPatternValues().forEach(pattern -> served.add(pattern, methods));
    }

    private void add(@Nullable RouterFunction<?> routes) {
        if (routes != null) {
            routes.accept(new RouteMethods((pattern, methods) -> {
                List<String> names = methods.stream().map(HttpMethod::name).toList();
                served.add(pattern, Set.copyOf(names));
                // there may be more below it in conditions that do not tell their paths
                served.add(pattern.isEmpty() ? ALL_PATHS : pattern + ALL_PATHS, Set.copyOf(names));
            }));
        }
    }

    private void add(AbstractUrlHandlerMapping urls) {
        if (urls.getRootHandler() != null) {
            served.add("/", Set.of());
        }
        if (urls.getDefaultHandler() != null) {
            served.add(ALL_PATHS, Set.of());
        }
    }

    private void add(String pattern, Object handler) {
        if (pattern.equals(ALL_PATHS) && handler instanceof ResourceHttpRequestHandler resources) {
            // would cover every rule
            served.addFiles(
                    resources.getLocations(),
                    resources.getResourceResolvers().stream()
                            .allMatch(resolver -> BY_PATH.contains(resolver.getClass())));
        } else {
            served.add(pattern, Set.of());
        }
    }

    /** The patterns and files of all mappings. */
    public ServedPaths paths() {
        return served;
    }
}
