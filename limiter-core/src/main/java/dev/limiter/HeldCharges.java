package dev.limiter;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The charges of a request that waits for a turn of others, as far as they are held until they are released: taken when
 * the turn has come, or the wait of one request would keep them from all. Those of rules that have other limits, too,
 * are taken with the turn.
 */
final class HeldCharges {

    private HeldCharges() {}

    /** One for each rule and key. */
    static List<Charge> of(List<Charge> charges) {
        return Charge.merged(charges).stream()
                .filter(charge -> isHeld(charge.rule()))
                .toList();
    }

    static boolean isHeld(Rule rule) {
        return rule.limits().stream().allMatch(Limit::isHeld);
    }

    /** Releases them if the request has to wait for its turn, or gives all back if that fails. Returns the decision. */
    static Decision release(Decision decision) {
        if (decision.delayNanos() > 0) {
            try {
                decision.parts().stream().filter(part -> isHeld(part.rule())).forEach(Decision::close);
            } catch (RuntimeException | Error e) {
                decision.giveBack();
                throw e;
            }
        }
        return decision;
    }

    /** The answer to all charges: {@code held} was decided when the turn had come. */
    static Decision answer(Decision turn, Decision held) {
        Iterator<Decision> later = held.parts().iterator();
        List<Decision> parts = new ArrayList<>();
        for (Decision part : turn.parts()) {
            parts.add(isHeld(part.rule()) && later.hasNext() ? later.next() : part);
        }
        later.forEachRemaining(parts::add);
        return Decision.allOf(parts);
    }
}
