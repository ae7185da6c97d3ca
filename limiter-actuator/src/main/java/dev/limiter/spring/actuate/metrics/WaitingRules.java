package dev.limiter.spring.actuate.metrics;

import dev.limiter.Charge;
import java.util.List;

/** The rules of a request that let it wait. */
final class WaitingRules {

    private WaitingRules() {}

    /** Their names. */
    static List<String> of(List<Charge> charges) {
        return charges.stream()
                .filter(charge -> !charge.maxWait().isZero())
                .map(charge -> charge.rule().name())
                .distinct()
                .toList();
    }
}
