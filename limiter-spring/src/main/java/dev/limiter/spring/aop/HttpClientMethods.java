package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.Answer;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Tells the methods of HTTP clients, whose limits are what other services let the application ask. */
final class HttpClientMethods {

    private static final List<String> CLIENTS = List.of(
            "org.springframework.web.service.annotation.HttpExchange",
            "org.springframework.cloud.openfeign.FeignClient");

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";

    private HttpClientMethods() {}

    /** The default of {@code answer} for a method. A controller may serve the interface of a client. */
    static Answer answer(Method method, Class<?> type) {
        boolean client = isClient(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY))
                || isClient(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
        boolean controller =
                MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(CONTROLLER);
        return client && !controller ? Answer.SERVER : Answer.DEFAULT;
    }

    private static boolean isClient(MergedAnnotations annotations) {
        return CLIENTS.stream().anyMatch(annotations::isPresent);
    }
}
