package dev.limiter.spring.decide;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Provides the request that the current thread handles. */
@FunctionalInterface
public interface CurrentRequest {

    /** For applications without requests. */
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
