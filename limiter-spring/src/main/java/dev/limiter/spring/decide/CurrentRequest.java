package dev.limiter.spring.decide;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Knows the request that the current thread handles, if there is one. */
@FunctionalInterface
public interface CurrentRequest {

    /** Where there are no requests. */
    CurrentRequest NONE = () -> null;

    @Nullable
    RequestDecisions get();

    /**
     * Returns whether the method handles requests and has been decided before its call, so that the call itself is not
     * decided again.
     */
    default boolean isDecidedBeforeCall(Method method, Class<?> targetClass) {
        return false;
    }
}
