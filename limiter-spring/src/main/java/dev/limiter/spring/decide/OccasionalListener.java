package dev.limiter.spring.decide;

/**
 * A listener that is told of outcomes only now and then: asked for each decision, so that there is no event while
 * it does not listen.
 */
public interface OccasionalListener extends RateLimitListener {

    /** Whether it listens now. Thread-safe, and quick. */
    boolean isListening();
}
