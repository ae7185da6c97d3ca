package dev.limiter.spring.decide;

/** Beans of this type are told of each outcome, on the thread of the request: they should be quick, and thread-safe. */
@FunctionalInterface
public interface RateLimitListener {

    void onDecision(RateLimitEvent event);

    /** Whether it is told of that outcome: asked once, at the start. All by default; what nobody hears costs nothing. */
    default boolean hears(Outcome outcome) {
        return true;
    }
}
