package dev.limiter;

/** Those who wait for the same: a rule by its name, whatever its limits, and a key. */
record Line(String rule, String key) {

    static Line of(Charge charge) {
        return new Line(charge.rule().name(), charge.key());
    }

    static Line of(Decision part) {
        return new Line(part.rule().name(), part.key());
    }
}
