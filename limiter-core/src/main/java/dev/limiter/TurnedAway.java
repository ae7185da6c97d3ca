package dev.limiter;

/** Refused because others are first; nobody can say for how long. */
final class TurnedAway extends Decision {

    private final Charge charge;

    TurnedAway(Charge charge) {
        this.charge = charge;
    }

    @Override
    public boolean permitted() {
        return false;
    }

    @Override
    public Rule rule() {
        return charge.rule();
    }

    @Override
    protected String key() {
        return charge.key();
    }

    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return UNKNOWN;
    }

    @Override
    protected long resetNanos(int limit) {
        return UNKNOWN;
    }
}
