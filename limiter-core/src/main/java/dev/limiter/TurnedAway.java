package dev.limiter;

/** The answer to a charge of a request that was refused before the storage granted it: refused itself, or not asked. */
final class TurnedAway extends Decision {

    private final Rule rule;
    private final String key;

    /** The time until a retry, in nanoseconds; 0 if this rule did not refuse. */
    private final long wait;

    private TurnedAway(Rule rule, String key, long wait) {
        this.rule = rule;
        this.key = key;
        this.wait = wait;
    }

    /** Other waiters come first, or there was no answer yet: refused for an unknown time, by what is held if anything. */
    static Decision from(Charge charge) {
        return charge.takesOf(Limit::isHeld)
                ? new BehindOthers(charge, unasked(charge))
                : new TurnedAway(charge.rule(), charge.key(), UNKNOWN);
    }

    /** Not asked for, because another charge of the request was turned away. */
    static TurnedAway unasked(Charge charge) {
        return new TurnedAway(charge.rule(), charge.key(), 0);
    }

    /** Its turn is not awaited: refused by the rules of which the turn is still to come, at least by the last. */
    static Decision before(Decision reservation, long now) {
        long last = reservation.turn();
        return Decision.allOf(reservation.parts().stream()
                .map(part -> new TurnedAway(part.rule(), part.key(), wait(part.turn(), last, now)))
                .toList());
    }

    private static long wait(long turn, long last, long now) {
        return Math.max(Math.max(turn, now) - now, turn == last ? 1 : 0);
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

    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return wait;
    }

    @Override
    protected long resetNanos(int limit) {
        return UNKNOWN;
    }
}
