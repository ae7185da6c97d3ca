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
 * The mappings that a {@link DispatcherServlet} goes by: those of its own context and of the contexts above. Each
 * servlet is asked about once. Thread-safe.
 */
public final class HandlerMappings {

    private final ApplicationContext application;
    private final Map<ApplicationContext, OfServlet> byContext = new ConcurrentHashMap<>();

    /** {@code application}: its mappings apply where no servlet is known. */
    public HandlerMappings(ApplicationContext application) {
        this.application = application;
    }

    /** The mappings of the servlet that handles the request. */
    public OfServlet of(HttpServletRequest request) {
        Object context = request.getAttribute(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE);
        return byContext.computeIfAbsent(
                context instanceof ApplicationContext servlets ? servlets : application, OfServlet::new);
    }

    /** Where a request is routed to, and the mapping by which that was found. */
    public record Mapped(HandlerExecutionChain chain, HandlerMapping mapping) {

        /** The handler, as mapped. */
        public Object handler() {
            return chain.getHandler();
        }

        /** Whether the request passes through an interceptor on its way to the handler. */
        public boolean passes(HandlerInterceptor interceptor) {
            return chain.getInterceptorList().contains(interceptor);
        }

        public boolean isOfActuator() {
            return ServedPatterns.isOfActuator(mapping);
        }
    }

    /**
     * Routes a request as its servlet does; leaves in its attributes what mappings leave there. Null if there is no
     * handler for it, also for its method or media type.
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
                throw new IllegalArgumentException("A request like this cannot be routed: " + failure, failure);
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

        /** Whether a pattern is one that handlers are registered for, and not the path of a request. */
        boolean isPattern(String pattern) {
            return patterns.contains(pattern);
        }
    }
}
