package dev.limiter.spring.context;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A request or a call of which it is known how it went.
 *
 * @param asked what was decided
 * @param response the answer to the request, if that is what was decided or what the method answers
 * @param result what the method returned, or its future result is; null without a method, and if it failed
 * @param exception with which the method failed
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
}
