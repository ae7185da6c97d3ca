package dev.limiter.spring.web.route;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;
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

    /**
     * The handler for a request, found as the application's own servlet does.
     *
     * @param handler as mapped
     * @param mapping by which it was found
     */
    public record Mapped(Object handler, HandlerMapping mapping) {

        public boolean isOfActuator() {
            return ServedPatterns.isOfActuator(mapping);
        }
    }

    /**
     * The handler that a request would be routed to; leaves in its attributes what mappings leave there. Null if there
     * is none, also for its method or media type.
     *
     * @throws IllegalArgumentException if a mapping cannot tell
     */
    public @Nullable Mapped route(HttpServletRequest request) {
        List<HandlerMapping> ordered = new ArrayList<>(of(request).mappings);
        AnnotationAwareOrderComparator.sort(ordered);
        for (HandlerMapping mapping : ordered) {
            try {
                HandlerExecutionChain chain = mapping.getHandler(request);
                if (chain != null) {
                    return new Mapped(chain.getHandler(), mapping);
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

        private final ApplicationContext context;
        private final List<HandlerMapping> mappings;
        private final Set<String> patterns = new HashSet<>(Set.of("", "/"));

        private OfServlet(ApplicationContext context) {
            this.context = context;
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

        /** The mapping that has a handler; null if none of those that are known has it. */
        @Nullable
        public AbstractHandlerMapping mappingOf(Object handler) {
            return of(AbstractHandlerMapping.class)
                    .filter(mapping -> has(mapping, handler))
                    .findFirst()
                    .orElse(null);
        }

        private boolean has(AbstractHandlerMapping mapping, Object handler) {
            if (handler instanceof HandlerMethod method) {
                return mapping instanceof AbstractHandlerMethodMapping<?> methods
                        && isAmong(methods.getHandlerMethods().values(), method);
            }
            if (handler instanceof HandlerFunction) {
                return mapping instanceof RouterFunctionMapping;
            }
            return mapping instanceof AbstractUrlHandlerMapping urls
                    && Stream.concat(
                                    urls.getHandlerMap().values().stream(),
                                    Arrays.asList(urls.getRootHandler(), urls.getDefaultHandler()).stream())
                            .anyMatch(mapped -> mapped == handler || isBean(mapped, handler));
        }

        private static boolean isAmong(Collection<HandlerMethod> mapped, HandlerMethod handler) {
            return mapped.stream()
                    .anyMatch(method -> method.getMethod().equals(handler.getMethod())
                            && method.getBeanType() == handler.getBeanType());
        }

        private boolean isBean(@Nullable Object mapped, Object handler) {
            return mapped instanceof String name
                    && context.containsBean(name)
                    && context.isSingleton(name)
                    && context.getBean(name) == handler;
        }
    }
}
