package dev.limiter;

/** The identity of a queue: a rule by its name, with any limits, and a key. */
record WaitKey(String rule, String key) {

    static WaitKey of(Charge charge) {
        return new WaitKey(charge.rule().name(), charge.key());
    }

    static WaitKey of(Decision part) {
        return new WaitKey(part.rule().name(), part.key());
    }
}
