package dev.limiter.spring.decide;

import org.jspecify.annotations.Nullable;

/** Provides the request that the current thread handles. */
@FunctionalInterface
public interface CurrentRequest {

    /** For applications without requests. */
    CurrentRequest NONE = () -> null;

    @Nullable
    RequestDecisions get();
}
