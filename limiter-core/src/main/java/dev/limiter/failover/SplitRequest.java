package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spi.AbstractDecision;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Collects the decisions of several places on one request. Thread-safe. */
final class SplitRequest {

    private final List<Charge> charges;
    private final Map<Charge, Decision> decisions = new ConcurrentHashMap<>();

    /** Creates a request of merged charges, so each is distinct. */
    SplitRequest(List<Charge> charges) {
        this.charges = charges;
    }

    /** Adds the decision of one place on some of the charges. */
    void put(List<Charge> some, Decision decision) {
        for (int i = 0; i < some.size(); i++) {
            decisions.put(some.get(i), decision.parts().get(i));
        }
    }

    /** Returns the decision on all charges; if one is rejected, permits of the others are returned. */
    Decision end() {
        Decision all =
                AbstractDecision.allApart(charges.stream().map(decisions::get).toList());
        if (!all.permitted()) {
            giveBack();
        }
        return all;
    }

    void giveBack() {
        decisions.values().forEach(Decision::giveBack);
    }
}
