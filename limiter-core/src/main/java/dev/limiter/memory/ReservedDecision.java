package dev.limiter.memory;

import dev.limiter.NumberLimit;
import dev.limiter.QueuedTurn;
import dev.limiter.Taken;
import org.jspecify.annotations.Nullable;

/**
 * Permits that were taken for a turn which is still to come. The turn moves up when one before it is given up, if the
 * arithmetic of its only limit allows.
 */
final class ReservedDecision extends SnapshotDecision implements QueuedTurn {

    private final long kept;
    private final long granted;
    private final long takenFirst;
    private volatile long taken;

    /**
     * @param kept how many more permits there had to be
     * @param taken the state right after the permits were taken
     * @param granted the turn as it was granted, for limits that do not tell it
     */
    ReservedDecision(
            Cell cell,
            long permits,
            long kept,
            Readings readings,
            long taken,
            long granted,
            long now,
            long returnedBefore) {
        super(cell, true, permits, readings, now, returnedBefore);
        this.kept = kept;
        this.taken = taken;
        this.takenFirst = taken;
        this.granted = granted;
    }

    @Override
    protected long turn() {
        return cell instanceof NumberCell ? nanos() : granted;
    }

    @Override
    long[] marks() {
        return cell instanceof NumberCell ? new long[] {taken} : super.marks();
    }

    /** Permits in front that were given up count as returned, and have moved this turn. */
    @Override
    long returnedBefore() {
        long moved = takenFirst - taken;
        return super.returnedBefore() + (moved == 0 ? 0 : moved / unitsPerPermit());
    }

    private long unitsPerPermit() {
        return takenFirst - ((NumberCell) cell).limit().moveUp(takenFirst, takenFirst, now, 1);
    }

    @Override
    protected @Nullable QueuedTurn queuedTurn() {
        return cell instanceof NumberCell number && number.moves(permits) ? this : null;
    }

    @Override
    public Object state() {
        return cell;
    }

    @Override
    public long kept() {
        return kept;
    }

    @Override
    public long nanos() {
        return ((NumberCell) cell).limit().turn(taken, permits, kept, granted);
    }

    @Override
    public long giveUp() {
        if (!returnOnce()) {
            return 0;
        }
        long units = ((NumberCell) cell).moveUp(this);
        if (units == 0) {
            giveBack(false);
        }
        return units;
    }

    /**
     * The distance by which the requests behind can move up. The state had no room up to a turn that is still to come,
     * so nothing in front of it was returned that did not move it. Otherwise as when permits are given back, with
     * nothing behind: others may have returned some, or may have gone at turns that have come since.
     */
    long units(NumberLimit limit, long time) {
        boolean toCome = limit.turn(taken, permits, 0, granted) > time;
        Taken charge = new Taken(taken, now, cell.returned() - returnedBefore(), permits);
        return taken - (toCome ? limit.moveUp(taken, taken, time, permits) : limit.giveBack(taken, charge, time));
    }

    @Override
    public void moveUp(long units) {
        long before = taken;
        taken = before - units;
    }
}
