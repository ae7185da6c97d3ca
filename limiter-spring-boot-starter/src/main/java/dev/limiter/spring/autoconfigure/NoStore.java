package dev.limiter.spring.autoconfigure;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Keeps the answer of an endpoint out of caches: what its operations return can say nothing of fields. */
final class NoStore {

    private NoStore() {}

    /** For the request that the calling thread serves, if Spring MVC serves it. */
    static void set() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            HttpServletResponse response = attributes.getResponse();
            if (response != null) {
                response.setHeader("Cache-Control", "no-store");
            }
        }
    }
}
