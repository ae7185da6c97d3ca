package dev.limiter.spring.rule;

/** The origin of a definition of changes alone: it declares no rule, but may complete that of an annotation. */
public record ChangeOrigin() implements RuleOrigin {

    @Override
    public String of(String attribute) {
        return attribute + " of " + this;
    }

    @Override
    public String toString() {
        return "a change";
    }
}
