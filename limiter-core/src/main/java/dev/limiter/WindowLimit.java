package dev.limiter;

/** A limit whose permits are each forgotten at a time that is known when they are taken. */
public abstract non-sealed class WindowLimit extends CompiledLimit {

    protected WindowLimit(Limit limit) {
        super(limit);
    }

    /** When a permit that is taken at {@code takenAt} no longer counts. */
    public abstract long forgottenAt(long takenAt);
}
