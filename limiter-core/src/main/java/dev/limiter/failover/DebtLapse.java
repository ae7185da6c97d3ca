package dev.limiter.failover;

/** When memory counts none of what a key owes any more. Guarded by its {@link KeyUse}. */
final class DebtLapse {

    /** The longest time for which memory may count what is owed, in nanoseconds. */
    private long lasting;

    /** When that is over, in epoch nanoseconds; as of a look that came after the last grant. */
    private long end;

    private boolean looked;

    /** Permits count for so long from now on. {@code owing}: besides others, which may count for longer. */
    void granted(long nanos, boolean owing) {
        lasting = owing ? Math.max(lasting, nanos) : nanos;
        looked = false;
    }

    /** To be asked now and then: the time runs from the first look after the last grant. */
    boolean isOver(long now) {
        if (!looked) {
            looked = true;
            end = now + lasting;
            return false;
        }
        return now >= end;
    }
}
