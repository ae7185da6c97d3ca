package dev.limiter;

/** Is told when something that was held of a concurrency limit is free again. Thread-safe, and quick. */
@FunctionalInterface
public interface ReleaseListener {

    /**
     * @param rule the name of the rule
     * @param key as {@link Decision#key()} of a decision that was refused for it
     */
    void released(String rule, String key);
}
