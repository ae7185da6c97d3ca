package dev.limiter.spring.compile;

/** Holds the current rules, which are replaced as a whole. Thread-safe. */
public final class Rules {

    private volatile RuleSet current;

    public Rules(RuleSet initial) {
        this.current = initial;
    }

    /** Returns the current rules. Call it once per decision point, so that one request sees one set. */
    public RuleSet current() {
        return current;
    }

    public void replace(RuleSet next) {
        this.current = next;
    }
}
