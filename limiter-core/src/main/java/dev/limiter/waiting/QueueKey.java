package dev.limiter.waiting;

import dev.limiter.Charge;

/** Identifies a queue by the name of a rule (with any limits) and a key. */
record QueueKey(String rule, String key) {

    static QueueKey of(Charge charge) {
        return new QueueKey(charge.rule().name(), charge.key());
    }
}
