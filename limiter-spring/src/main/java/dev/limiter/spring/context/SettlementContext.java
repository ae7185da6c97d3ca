package dev.limiter.spring.context;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A request or a call with a known outcome.
 *
 * @param asked the request or call that was decided
 * @param response the response, if the request was decided or the method is its handler
 * @param result the result of the method, or of its future; null without a method, and if it failed
 * @param exception the failure of the method
 */
public record SettlementContext(
        RateLimitContext asked,
        @Nullable ResponseView response,
        @Nullable Object result,
        @Nullable Throwable exception) implements RateLimitContext {

    @Override
    public @Nullable RequestView request() {
        return asked.request();
    }

    @Override
    public String resource() {
        return asked.resource();
    }

    @Override
    public @Nullable Object target() {
        return asked.target();
    }

    @Override
    public @Nullable Method method() {
        return asked.method();
    }

    @Override
    public boolean answersRequest() {
        return asked.answersRequest();
    }

    @Override
    public @Nullable Object[] arguments() {
        return asked.arguments();
    }

    @Override
    public @Nullable String key() {
        return asked.key();
    }
}
