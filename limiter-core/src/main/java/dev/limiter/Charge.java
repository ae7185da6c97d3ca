package dev.limiter;

/**
 * What one rule is asked for: so many permits of a key.
 *
 * @param key whose permits; {@link #SHARED} for the one bucket that all share
 * @param permits how many, 0 or more; 0 charges nothing and is always permitted
 */
public record Charge(Rule rule, String key, long permits) {

    /** The key of a bucket that all callers of a rule share. */
    public static final String SHARED = "";

    public Charge {
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "permits is " + permits + " for rule \"" + rule.name() + "\", but must be 0 or more");
        }
    }
}
