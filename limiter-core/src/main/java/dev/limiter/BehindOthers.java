package dev.limiter;

/**
 * The refusal of a charge that others come before: for an unknown time, by the limits of what it would hold until a
 * release. The other limits of its rule stand where they were found.
 */
final class BehindOthers extends Decision {

    private final Charge charge;
    private final Decision found;

    /** {@code charge}: takes permits of such a limit; {@code found}: took nothing. */
    BehindOthers(Charge charge, Decision found) {
        this.charge = charge;
        this.found = found;
    }

    private boolean refuses(int limit) {
        return charge.permits(limit) > 0 && charge.rule().limits().get(limit).isHeld();
    }

    @Override
    public boolean permitted() {
        return false;
    }

    @Override
    public boolean sharesState() {
        return found.sharesState();
    }

    @Override
    public Rule rule() {
        return charge.rule();
    }

    @Override
    protected String key() {
        return found.key();
    }

    @Override
    public void giveBack() {
        // nothing was taken
    }

    @Override
    protected long remaining(int limit) {
        return refuses(limit) ? 0 : found.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return refuses(limit) ? UNKNOWN : found.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return refuses(limit) ? UNKNOWN : found.resetNanos(limit);
    }
}
