package dev.limiter.spring.compile;

/** The rules in force, swapped whole. Thread-safe. */
public final class Rules {

    private volatile RuleSet current;

    public Rules(RuleSet initial) {
        this.current = initial;
    }

    /** Take it once per decision point, so that one request sees one set. */
    public RuleSet current() {
        return current;
    }

    public void replace(RuleSet next) {
        this.current = next;
    }
}
