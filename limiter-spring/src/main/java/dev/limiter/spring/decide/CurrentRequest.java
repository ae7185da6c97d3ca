package dev.limiter.spring.decide;

import org.jspecify.annotations.Nullable;

/** Knows the request that the current thread handles, if there is one. */
@FunctionalInterface
public interface CurrentRequest {

    /** Where there are no requests. */
    CurrentRequest NONE = () -> null;

    @Nullable
    RequestDecisions get();
}
