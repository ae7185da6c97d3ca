package dev.limiter.memory;

import dev.limiter.Decision;
import java.util.List;

/**
 * Permits that were taken for a turn which is still to come. Moves up when one who stood before it gives up, if the
 * arithmetic of its only limit allows.
 */
final class ReservedDecision extends SnapshotDecision {

    private final long kept;
    private final long atLeast;
    private volatile long taken;

    /**
     * @param kept how many more permits there had to be
     * @param taken the state right after the permits were taken
     * @param atLeast the turn that the limit does not tell, or before which the request does not go anyway
     */
    ReservedDecision(Cell cell, long permits, long kept, Readings readings, long taken, long atLeast) {
        super(cell, true, permits, readings);
        this.kept = kept;
        this.taken = taken;
        this.atLeast = atLeast;
    }

    @Override
    protected long turn() {
        return cell instanceof NumberCell number
                ? Math.max(number.limit().turn(taken, permits, kept, atLeast), atLeast)
                : atLeast;
    }

    @Override
    long[] marks() {
        return cell instanceof NumberCell ? new long[] {taken} : super.marks();
    }

    @Override
    protected void giveUp(List<? extends Decision> behind) {
        if (cell instanceof NumberCell number && number.moves(permits)) {
            if (returnOnce()) {
                long now = cell.bound.states.now();
                number.moveUp(taken, now, permits);
                for (Decision decision : behind) {
                    if (decision instanceof ReservedDecision next && next.cell == cell) {
                        next.taken = number.limit().moveUp(next.taken, taken, now, permits);
                    }
                }
            }
        } else {
            giveBack();
        }
    }
}
