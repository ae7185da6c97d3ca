package dev.limiter.spring.web.dashboard;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Maps the files of the page and the events of the endpoint, before all other mappings and without any interceptor, so
 * that no rule decides about them. A request is one for a file only if its URI is exactly that of the file: any other
 * spelling of it is left to other mappings and to all rules. Thread-safe.
 */
public final class DashboardMapping implements HandlerMapping, Ordered {

    private static final String EVENTS = SecondsStream.MEDIA_TYPE.toString();

    private final String path;
    private final DashboardFiles files;
    private final EndpointPaths endpoints;
    private final @Nullable SecondsStream stream;

    /**
     * @param path of the page, such as {@code /limiter}
     * @param endpoints the paths of the endpoints that the page asks, such as {@code /actuator/limiter}
     * @param stream answers requests for events; null where decisions are not sampled
     */
    public DashboardMapping(String path, EndpointPaths endpoints, CsrfTokens csrf, @Nullable SecondsStream stream) {
        this.path = path;
        this.endpoints = endpoints;
        this.stream = stream;
        this.files = new DashboardFiles(endpoints, csrf);
    }

    /** The paths of endpoints, below that of the servlet. */
    @FunctionalInterface
    public interface EndpointPaths {

        /** {@code id}: such as limiter. Null if that endpoint is not exposed. */
        @Nullable
        String of(String id);
    }

    /** The tokens for requests that change something. */
    @FunctionalInterface
    public interface CsrfTokens {

        /** Null if no token is needed. */
        @Nullable
        Csrf of(RequestAttributes request);
    }

    /**
     * A header field, and the values of which the application accepts one: which one, only its filter knows.
     *
     * @param header its name
     * @param tokens the likelier ones first, at least one
     */
    public record Csrf(String header, List<String> tokens) {

        public Csrf {
            tokens = List.copyOf(tokens);
        }
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable HandlerExecutionChain getHandler(HttpServletRequest request) {
        if (stream != null && isStream(request)) {
            return new HandlerExecutionChain((HttpRequestHandler) stream::serve);
        }
        String file = file(request);
        if (file == null) {
            return null;
        }
        String servlet = servlet(request);
        HttpRequestHandler handler = file.isEmpty()
                ? (asked, answer) -> files.redirect(servlet + path + "/", answer)
                : (asked, answer) -> files.serve(file, servlet, asked, answer);
        return new HandlerExecutionChain(handler);
    }

    /** Whether {@link #getHandler} knows a handler of this request. */
    public boolean serves(HttpServletRequest request) {
        return stream != null && isStream(request) || file(request) != null;
    }

    /** Whether a request asks the endpoint for events: what protects its path protects them. */
    private boolean isStream(HttpServletRequest request) {
        // an included page for errors has the URI of the request that failed
        if (request.getDispatcherType() != DispatcherType.REQUEST
                || !request.getMethod().equals("GET")
                || !wantsEvents(request.getHeader("Accept"))) {
            return false;
        }
        String endpoint = endpoints.of("limiter");
        return endpoint != null && request.getRequestURI().equals(servlet(request) + endpoint);
    }

    /** Whether events are the only thing that is accepted. */
    private static boolean wantsEvents(@Nullable String accepted) {
        // nearly all requests of the application come by here
        if (accepted == null || !accepted.regionMatches(true, 0, EVENTS, 0, EVENTS.length())) {
            return false;
        }
        try {
            List<MediaType> types = MediaType.parseMediaTypes(accepted);
            return types.size() == 1 && types.get(0).equalsTypeAndSubtype(SecondsStream.MEDIA_TYPE);
        } catch (InvalidMediaTypeException answeredByTheEndpoint) {
            return false;
        }
    }

    /** The name of the file; empty for the page without the slash that its files are relative to. */
    private @Nullable String file(HttpServletRequest request) {
        String page = servlet(request) + path;
        String uri = request.getRequestURI();
        if (!uri.startsWith(page)
                || !request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            return null;
        }
        String rest = uri.substring(page.length());
        return rest.isEmpty() ? rest : DashboardFiles.named(rest);
    }

    private static String servlet(HttpServletRequest request) {
        HttpServletMapping mapping = request.getHttpServletMapping();
        return mapping != null && mapping.getMappingMatch() == MappingMatch.PATH
                ? request.getContextPath() + request.getServletPath()
                : request.getContextPath();
    }
}
