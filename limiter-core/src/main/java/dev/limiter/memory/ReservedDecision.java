package dev.limiter.memory;

/** Permits that were taken for a turn which is still to come. */
final class ReservedDecision extends SnapshotDecision {

    private final long turn;

    ReservedDecision(Cell cell, long permits, Readings readings, long turn, long now, long returnedBefore) {
        super(cell, true, permits, readings, now, returnedBefore);
        this.turn = turn;
    }

    @Override
    protected long turn() {
        return turn;
    }
}
