package dev.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Detects methods of HTTP clients. Their limits protect a remote service, so the caller did not cause a rejection. */
final class HttpClientMethods {

    private static final List<String> CLIENTS = List.of(
            "org.springframework.web.service.annotation.HttpExchange",
            "org.springframework.cloud.openfeign.FeignClient");

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";

    private HttpClientMethods() {}

    /**
     * Returns the default of {@code status} for a method: 503 for methods of HTTP clients, else null. A controller that
     * implements a client interface is not a client.
     */
    static @Nullable Integer status(Method method, Class<?> type) {
        boolean client = isClient(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY))
                || isClient(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
        boolean controller =
                MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(CONTROLLER);
        return client && !controller ? Integer.valueOf(503) : null;
    }

    private static boolean isClient(MergedAnnotations annotations) {
        return CLIENTS.stream().anyMatch(annotations::isPresent);
    }
}
