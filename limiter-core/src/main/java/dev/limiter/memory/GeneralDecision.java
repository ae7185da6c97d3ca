package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.NumberLimit;
import dev.limiter.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A decision of a cell on any number of permits and limits. Held permits are released, and all permits returned, once.
 */
abstract class GeneralDecision extends Decision {

    private static final VarHandle RETURNED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RETURNED = lookup.findVarHandle(GeneralDecision.class, "returned", boolean.class);
            RELEASED = lookup.findVarHandle(GeneralDecision.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Cell cell;

    /** How many were asked for of each limit, at most, and taken if that was permitted. */
    final long permits;

    /** When they were taken, in epoch nanoseconds. */
    final long now;

    private final long returnedBefore;
    private final boolean permitted;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RELEASED
    private volatile boolean released;

    /** {@code returnedBefore}: how many permits of the key had been returned by then. */
    GeneralDecision(Cell cell, boolean permitted, long permits, long now, long returnedBefore) {
        this.cell = cell;
        this.now = now;
        this.returnedBefore = returnedBefore;
        this.permitted = permitted;
        this.permits = permits;
    }

    /** The state of each limit right after the permits were taken, in an array of the caller's own. */
    abstract long[] marks();

    /** The permits that were taken of each limit; null if of all alike. */
    PermitReturn.@Nullable OwnCosts own() {
        return null;
    }

    @Override
    protected final String key() {
        return cell.key;
    }

    @Override
    public final boolean permitted() {
        return permitted;
    }

    @Override
    public final boolean sharesState() {
        return cell.isShared();
    }

    @Override
    public final Rule rule() {
        return cell.bound.rule;
    }

    @Override
    public final void giveBack() {
        if (returnOnce()) {
            giveBack(false);
        }
        close();
    }

    final boolean returnOnce() {
        return took() && RETURNED.compareAndSet(this, false, true);
    }

    @Override
    public final void close() {
        if (took() && cell.bound.holds() && RELEASED.compareAndSet(this, false, true)) {
            giveBack(true);
        }
    }

    private boolean took() {
        return permitted && permits > 0;
    }

    /** Returns what was taken of the concurrency limits, or of all others. */
    final void giveBack(boolean held) {
        long[] marks = marks();
        for (int i = 0; i < marks.length; i++) {
            if (cell.bound.holds(i) != held) {
                marks[i] = NumberLimit.NOTHING;
            }
        }
        cell.bound.cells.giveBack(new PermitReturn(cell, marks, permits, own(), now, returnedBefore()));
    }

    /** How many returned permits of the key have moved no mark of this decision. */
    long returnedBefore() {
        return returnedBefore;
    }
}
