package dev.limiter.spring.rule;

/** A {@link RuleOrigin}. Attributes in Java have no dashes. */
record Written(String text, boolean isProperty) implements RuleOrigin {

    @Override
    public String of(String attribute) {
        return isProperty ? text + "." + attribute : Option.of(attribute).attribute() + " of " + text;
    }

    @Override
    public String toString() {
        return text;
    }
}
