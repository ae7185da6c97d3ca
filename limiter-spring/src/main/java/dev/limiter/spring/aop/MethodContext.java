package dev.limiter.spring.aop;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The call of a limited method, which is the same for all its rules.
 *
 * @param resource the full signature, which identifies its buckets
 * @param known the arguments; null before the call
 * @param name the display name of the method
 */
record MethodContext(
        @Nullable RequestView request,
        String resource,
        @Nullable Object target,
        Method method,
        @Nullable Object @Nullable [] known,
        boolean answersRequest,
        String name)
        implements RateLimitContext, RuleContexts {

    /**
     * @throws IllegalStateException before the call
     */
    @Override
    public @Nullable Object[] arguments() {
        if (known == null) {
            throw new IllegalStateException("the arguments of " + name + " are unknown before it is called; read"
                    + " #request instead, such as #request.pathVariable('id'), or return a Mono");
        }
        return known;
    }

    @Override
    public RateLimitContext of(RateLimitRule rule) {
        return this;
    }

    @Override
    public String resource(RateLimitRule rule) {
        return name;
    }
}
