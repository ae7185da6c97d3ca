package dev.limiter.spring.web.route;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Provides the mappings of each {@link DispatcherServlet}, from its own context and parent contexts. They are looked up
 * once for each servlet. Thread-safe.
 */
public final class HandlerMappings {

    private final ApplicationContext application;
    final GatewayRoutes gateway;
    private final Map<ApplicationContext, OfServlet> byContext = new ConcurrentHashMap<>();

    /** {@code application}: provides the mappings for requests without a servlet. */
    public HandlerMappings(ApplicationContext application) {
        this.application = application;
        this.gateway = new GatewayRoutes(application);
    }

    /** Returns the mappings of the servlet that handles the request. */
    public OfServlet of(HttpServletRequest request) {
        Object context = request.getAttribute(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE);
        return byContext.computeIfAbsent(
                context instanceof ApplicationContext servlets ? servlets : application, OfServlet::new);
    }

    /** The handler of a request, and the mapping that found it. */
    public record Mapped(HandlerExecutionChain chain, HandlerMapping mapping) {

        /** Returns the handler, as mapped. */
        public Object handler() {
            return chain.getHandler();
        }

        /** Returns whether an interceptor applies to the request. */
        public boolean passes(HandlerInterceptor interceptor) {
            return chain.getInterceptorList().contains(interceptor);
        }

        public boolean isOfActuator() {
            return ServedPatterns.isOfActuator(mapping);
        }
    }

    /**
     * Routes a request like its servlet, including the request attributes that mappings set. Returns null if no handler
     * exists for the request, its method or its media type.
     *
     * @throws IllegalArgumentException if a mapping fails
     */
    public @Nullable Mapped route(HttpServletRequest request) {
        List<HandlerMapping> ordered = new ArrayList<>(of(request).mappings);
        AnnotationAwareOrderComparator.sort(ordered);
        for (HandlerMapping mapping : ordered) {
            try {
                HandlerExecutionChain chain = mapping.getHandler(request);
                if (chain != null) {
                    return new Mapped(chain, mapping);
                }
            } catch (ServletException unserved) {
                return null;
            } catch (Exception failure) {
                throw new IllegalArgumentException("Routing the request failed: " + failure, failure);
            }
        }
        return null;
    }

    /** The mappings of one servlet. */
    public static final class OfServlet {

        private final List<HandlerMapping> mappings;
        private final Set<String> patterns = new HashSet<>(Set.of("", "/"));

        private OfServlet(ApplicationContext context) {
            this.mappings = List.copyOf(
                    BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
                            .values());
            of(AbstractUrlHandlerMapping.class)
                    .forEach(urls -> patterns.addAll(urls.getHandlerMap().keySet()));
            of(RequestMappingInfoHandlerMapping.class)
                    .flatMap(mapping -> mapping.getHandlerMethods().keySet().stream())
                    .forEach(info -> patterns.addAll(info.getPatternValues()));
        }

        public <T> Stream<T> of(Class<T> type) {
            return mappings.stream().filter(type::isInstance).map(type::cast);
        }

        /** Returns whether handlers are registered for a pattern, as opposed to the path of a request. */
        boolean isPattern(String pattern) {
            return patterns.contains(pattern);
        }
    }
}
