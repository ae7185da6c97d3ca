package dev.limiter.spring.aop;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A call of a limited method. */
record MethodContext(
        @Nullable RequestView request,
        String resource,
        @Nullable Object target,
        Method method,
        @Nullable Object[] arguments,
        boolean answersRequest)
        implements RateLimitContext {}
