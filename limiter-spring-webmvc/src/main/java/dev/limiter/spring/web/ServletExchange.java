package dev.limiter.spring.web;

import dev.limiter.spring.context.WebExchange;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.util.UriUtils;

/** The current request of the thread in Spring MVC. */
public final class ServletExchange implements WebExchange {

    private static @Nullable ServletRequestAttributes current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes
                : null;
    }

    @Override
    public boolean isAbout(String name) {
        ServletRequestAttributes current = current();
        if (current == null) {
            return true;
        }
        String path = current.getRequest().getRequestURI();
        String last = path.substring(path.lastIndexOf('/') + 1).replaceFirst(";.*", "");
        return UriUtils.decode(last, StandardCharsets.UTF_8).equals(name);
    }

    @Override
    public Map<String, List<String>> parameters() {
        ServletRequestAttributes current = current();
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        if (current != null) {
            current.getRequest().getParameterMap().forEach((name, values) -> parameters.put(name, List.of(values)));
        }
        return parameters;
    }
}
