package dev.limiter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells whether a refused request may wait for a release. */
final class HeldBack {

    private HeldBack() {}

    /** The charge that may wait for a release, if that is all that keeps the request from being permitted. */
    static @Nullable Charge by(Decision refused, List<Charge> charges) {
        for (Decision part : refused.parts()) {
            for (LimitStatus status : part.limits()) {
                if (!status.permitted() && status.retryAfter().isPresent()) {
                    return null;
                }
            }
        }
        for (Decision part : refused.parts()) {
            if (!part.permitted() && part.waitNanos(part.deciding()) == Decision.UNKNOWN) {
                return charge(part, charges);
            }
        }
        return null;
    }

    /** The charge that was refused, with the key under which it is counted, if it would wait. */
    private static @Nullable Charge charge(Decision refused, List<Charge> charges) {
        List<Charge> sameRule = charges.stream()
                .filter(charge -> charge.rule().name().equals(refused.rule().name()))
                .toList();
        // if keys share a state because there is no room, no charge has the key of that
        return sameRule.stream()
                .filter(charge -> charge.key().equals(refused.key()))
                .findFirst()
                .or(() -> sameRule.stream().findFirst())
                .filter(charge -> !charge.maxWait().isZero())
                .map(charge -> new Charge(charge.rule(), refused.key(), 1, 0, charge.maxWait(), charge.maxWaiting()))
                .orElse(null);
    }
}
