package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.RateLimiter;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** The methods to which a {@link RateLimiter} applies, wherever it is written. */
final class RateLimiterPointcut extends StaticMethodMatcherPointcut {

    RateLimiterPointcut() {
        setClassFilter(RateLimiterAnnotations::mayBeOn);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return !RateLimiterAnnotations.of(method, LimitedType.of(method, targetClass, targetClass))
                .isEmpty();
    }
}
