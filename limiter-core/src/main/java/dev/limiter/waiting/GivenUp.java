package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.util.ArrayList;
import java.util.List;

/** The part of a rejection for one charge of a request that gave up before the storage rejected it. Immutable. */
final class GivenUp extends Decision {

    private final Rule rule;
    private final String key;

    /** Nanoseconds until a retry; 0 if this rule did not make the request wait. */
    private final long wait;

    /** What the storage reported of the limits last; empty if it was not asked. */
    private final List<LimitStatus> known;

    private GivenUp(Rule rule, String key, long wait, List<LimitStatus> known) {
        this.rule = rule;
        this.key = key;
        this.wait = wait;
        this.known = known;
    }

    /** Rejects a request that left a queue. */
    static Decision inQueue(Waiter waiter) {
        List<Decision> parts = new ArrayList<>(waiter.charges.size());
        Decision look = waiter.last;
        for (int i = 0; i < waiter.charges.size(); i++) {
            Charge charge = waiter.charges.get(i);
            List<LimitStatus> limits =
                    look == null ? List.of() : waiter.part(look, i).limits();
            parts.add(new GivenUp(charge.rule(), charge.key(), Waiter.waits(charge) ? UNKNOWN : 0, limits));
        }
        return Decision.allOf(parts);
    }

    /** Rejects a request that did not wait for its turn: by the rules whose turns are still to come. */
    static Decision beforeTurn(Waiter waiter, Decision reservation, long now) {
        List<Decision> parts = new ArrayList<>(waiter.charges.size());
        long last = reservation.turnNanos();
        for (int i = 0; i < waiter.charges.size(); i++) {
            Charge charge = waiter.charges.get(i);
            Decision part = waiter.part(reservation, i);
            long turn = part.turnNanos();
            long wait = Math.max(Math.max(turn, now) - now, turn == last ? 1 : 0);
            parts.add(new GivenUp(charge.rule(), charge.key(), wait, part.limits()));
        }
        return Decision.allOf(parts);
    }

    @Override
    public boolean permitted() {
        return wait == 0;
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    protected String key() {
        return key;
    }

    /** Nothing was taken. */
    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return wait == 0 && limit < known.size() ? known.get(limit).remaining() : 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return wait;
    }

    @Override
    protected long resetNanos(int limit) {
        return limit < known.size() ? known.get(limit).resetAfter().toNanos() : UNKNOWN;
    }
}
