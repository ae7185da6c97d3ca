package dev.limiter.spring.resolve;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A context with another view of its request. */
record DetachedContext(
        @Nullable DetachedRequest detached,
        String resource,
        @Nullable Object target,
        @Nullable Method method,
        @Nullable Object[] arguments,
        @Nullable String key,
        boolean answersRequest)
        implements RateLimitContext {

    /** Returns the context itself, recording the values that are read. */
    static DetachedContext live(RateLimitContext context, RequestReads reads) {
        RequestView request = context.request();
        return of(context, request == null ? null : DetachedRequest.live(request, reads));
    }

    /** Returns a copy that outlives the request. */
    static DetachedContext copy(RateLimitContext context, RequestReads reads) {
        RequestView request = context.request();
        return of(context, request == null ? null : DetachedRequest.copy(request, reads));
    }

    private static DetachedContext of(RateLimitContext context, @Nullable DetachedRequest request) {
        return new DetachedContext(
                request,
                context.resource(),
                context.target(),
                context.method(),
                context.arguments(),
                context.key(),
                context.answersRequest());
    }

    @Override
    public @Nullable RequestView request() {
        return detached;
    }

    boolean isComplete() {
        return detached == null || detached.isComplete();
    }
}
