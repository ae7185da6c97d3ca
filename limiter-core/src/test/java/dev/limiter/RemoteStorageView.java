package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spi.DelegatingDecision;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The view of one instance on a shared storage. Never blocks, and reports only its own releases. Replies at once, in an
 * executor, or when a test calls {@link #reply}. Counts calls.
 */
public final class RemoteStorageView extends DelegatingStorage {

    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger peeks = new AtomicInteger();

    private final RateLimiterStorage shared;
    private final BlockingQueue<Runnable> withheld = new LinkedBlockingQueue<>();
    private volatile Executor replying = Runnable::run;
    private final ReleaseListeners listeners = new ReleaseListeners();
    private volatile @Nullable RuntimeException failure;
    private volatile @Nullable Error error;

    public RemoteStorageView(RateLimiterStorage shared) {
        super(shared);
        this.shared = shared;
    }

    void replyIn(Executor executor) {
        replying = executor;
    }

    /** Replies arrive only when the test calls {@link #reply}. */
    public void withhold() {
        replying = withheld::add;
    }

    /** Delivers the oldest withheld reply, waiting for a call if necessary. */
    public void reply() {
        try {
            Runnable oldest = withheld.poll(1, TimeUnit.MINUTES);
            assertThat(oldest).as("withheld reply").isNotNull();
            oldest.run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes the next call throw an error. */
    void throwOnce(Error error) {
        this.error = error;
    }

    void failWith(@Nullable RuntimeException failure) {
        this.failure = failure;
    }

    /** Returns the number of calls since this was last called. */
    int newCalls() {
        return calls.getAndSet(0);
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    /** Used by {@code tryAcquire}; not allowed for waiting requests. */
    @Override
    public Decision decide(List<Charge> charges) {
        return new Remote(charges, shared.decide(charges));
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        calls.incrementAndGet();
        Error thrown = error;
        if (thrown != null) {
            error = null;
            throw thrown;
        }
        RuntimeException failing = failure;
        CompletableFuture<Decision> reply = new CompletableFuture<>();
        if (failing != null) {
            replying.execute(() -> reply.completeExceptionally(failing));
        } else {
            Decision decision = new Remote(charges, shared.decide(charges));
            replying.execute(() -> reply.complete(decision));
        }
        return reply;
    }

    @Override
    public CompletableFuture<Decision> peekAsync(List<Charge> charges) {
        peeks.incrementAndGet();
        CompletableFuture<Decision> reply = new CompletableFuture<>();
        Decision decision = new Remote(charges, shared.peek(charges));
        replying.execute(() -> reply.complete(decision));
        return reply;
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        listeners.remove(listener);
    }

    private final class Remote extends DelegatingDecision {

        private final List<Charge> charges;
        private final List<Decision> parts = new ArrayList<>();

        Remote(List<Charge> charges, Decision decision) {
            super(decision);
            this.charges = charges;
            if (decision.parts().size() > 1) {
                decision.parts().forEach(part -> parts.add(new Remote(charges, part)));
            } else {
                parts.add(this);
            }
        }

        @Override
        public List<Decision> parts() {
            return parts;
        }

        @Override
        public List<LimitStatus> limits() {
            return decision.limits();
        }

        @Override
        public void giveBack() {
            decision.giveBack();
            tell();
        }

        @Override
        public void close() {
            decision.close();
            tell();
        }

        private void tell() {
            if (permitted()) {
                charges.forEach(charge -> listeners.released(charge.rule().name(), charge.key()));
            }
        }
    }
}
