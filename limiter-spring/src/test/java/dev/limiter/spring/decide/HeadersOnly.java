package dev.limiter.spring.decide;

import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.context.RequestView;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of which only its headers are asked. */
record HeadersOnly(Map<String, String> headers) implements RequestView {

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return "/test";
    }

    @Override
    public @Nullable String getHeader(String name) {
        return headers.get(name);
    }

    @Override
    public @Nullable String getParameter(String name) {
        return null;
    }

    @Override
    public @Nullable String cookie(String name) {
        return null;
    }

    @Override
    public @Nullable String sessionId() {
        return null;
    }

    @Override
    public @Nullable String pathVariable(String name) {
        return null;
    }

    @Override
    public @Nullable Principal principal() {
        return null;
    }

    @Override
    public boolean isUserInRole(String role) {
        return false;
    }

    @Override
    public @Nullable String clientAddress() {
        return null;
    }

    @Override
    public @Nullable ClientAddress client() {
        return null;
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        return null;
    }
}
