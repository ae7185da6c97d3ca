package dev.limiter.spring.web.route;

import dev.limiter.spring.compile.Coverage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.Resource;
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

    /** A mapped pattern; {@code methods}: empty if the mapping declares none. */
    private record Mapped(String pattern, Set<String> methods) {}

    private final List<Mapped> mapped = new ArrayList<>();
    private final List<ResourceHttpRequestHandler> files = new ArrayList<>();

    public ServedPatterns(Stream<HandlerMapping> mappings) {
        mappings.forEach(this::add);
    }

    public static boolean isOfActuator(HandlerMapping mapping) {
        return mapping.getClass().getName().contains(".actuate.");
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
            mapped.add(new Mapped(ALL_PATHS, Set.of()));
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
        info.getPatternValues().forEach(pattern -> mapped.add(new Mapped(pattern, methods)));
    }

    private void add(@Nullable RouterFunction<?> routes) {
        if (routes != null) {
            routes.accept(new RouteMethods((pattern, methods) -> {
                List<String> names = methods.stream().map(HttpMethod::name).toList();
                mapped.add(new Mapped(pattern, Set.copyOf(names)));
                // predicates without a visible path may match more below it
                mapped.add(new Mapped(pattern.isEmpty() ? ALL_PATHS : pattern + ALL_PATHS, Set.copyOf(names)));
            }));
        }
    }

    private void add(AbstractUrlHandlerMapping urls) {
        if (urls.getRootHandler() != null) {
            mapped.add(new Mapped("/", Set.of()));
        }
        if (urls.getDefaultHandler() != null) {
            mapped.add(new Mapped(ALL_PATHS, Set.of()));
        }
    }

    private void add(String pattern, Object handler) {
        if (pattern.equals(ALL_PATHS) && handler instanceof ResourceHttpRequestHandler resources) {
            // It would match every rule, so only existing files count.
            files.add(resources);
        } else {
            mapped.add(new Mapped(pattern, Set.of()));
        }
    }

    /**
     * Returns whether anything is served below a path of a rule; true if unknown.
     */
    public boolean anyUnder(RateLimitRule rule, String path, RuleSet ruleSet) {
        return mapped.stream()
                        .anyMatch(endpoint -> isUnder(
                                method -> rule.matcher().coverage(path, method, endpoint.pattern), endpoint, ruleSet))
                || files.stream().anyMatch(resources -> mayHave(resources, path));
    }

    /**
     * Returns whether static files may exist under a path. Looks up the segments before the first wildcard.
     */
    private static boolean mayHave(ResourceHttpRequestHandler files, String path) {
        String literal = Stream.of(path.split("/"))
                .takeWhile(segment -> !segment.matches(".*[*?{].*"))
                .filter(segment -> !segment.isEmpty())
                .collect(Collectors.joining("/"));
        return literal.isEmpty()
                || files.getResourceResolvers().stream().anyMatch(resolver -> !BY_PATH.contains(resolver.getClass()))
                || files.getLocations().stream().anyMatch(location -> exists(location, literal));
    }

    /** Returns whether a file or folder exists. In an archive, only names with a trailing slash are folders. */
    private static boolean exists(Resource location, String path) {
        try {
            return location.createRelative(path).exists()
                    || location.createRelative(path + "/").exists();
        } catch (IOException unknown) {
            return true;
        }
    }

    private static boolean isOpen(String pattern) {
        return pattern.contains(ALL_PATHS) || pattern.contains("{*");
    }

    /** Returns the pattern of an endpoint below a path. */
    public Optional<String> below(String path) {
        return mapped.stream()
                .map(Mapped::pattern)
                .filter(pattern -> !isOpen(pattern) && pattern.startsWith(path + "/"))
                .findFirst();
    }

    /** {@code byMethod}: the coverage of the endpoint by HTTP method; null for any method. */
    private static boolean isUnder(Function<@Nullable String, Coverage> byMethod, Mapped endpoint, RuleSet ruleSet) {
        if (ruleSet.exclusion(endpoint.pattern) == Coverage.ALL) {
            return false;
        }
        return endpoint.methods.isEmpty()
                ? byMethod.apply(null) != Coverage.NONE
                : endpoint.methods.stream().anyMatch(method -> byMethod.apply(method) != Coverage.NONE);
    }
}
