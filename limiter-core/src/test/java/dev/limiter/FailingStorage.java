package dev.limiter;

import dev.limiter.spi.ReleaseListener;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A storage that decides unless a test makes it fail. */
final class FailingStorage extends DelegatingStorage {

    private final RateLimiterStorage storage;
    private final BooleanSupplier fails;

    FailingStorage(RateLimiterStorage storage, BooleanSupplier fails) {
        super(storage);
        this.storage = storage;
        this.fails = fails;
    }

    @Override
    public Decision decide(List<Charge> charges) {
        if (fails.getAsBoolean()) {
            throw new IllegalStateException("broken storage");
        }
        return super.decide(charges);
    }

    @Override
    public Decision peek(List<Charge> charges) {
        if (fails.getAsBoolean()) {
            throw new IllegalStateException("broken storage");
        }
        return super.peek(charges);
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        storage.onRelease(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        storage.removeReleaseListener(listener);
    }
}
