package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spi.ReleaseListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides in a remote storage, with a fallback while one of its nodes is down. The fallback depends on the rule: decide
 * in memory with this instance's share of each limit, {@code max(1, limit / instances)}, starting unused; permit every
 * request; or reject every request. See {@link Decision#onFailure()}.
 *
 * <p>Permits granted in memory are not charged to the remote storage later. So an outage grants at most one more {@code
 * limit} in its first window, and one {@code limit} per window after that. Keys that the storage rejected until a
 * certain time stay rejected until then.
 *
 * <p>A request with keys on a healthy node and on one that is down is decided in both places, all or nothing: first in
 * memory, then remotely. If one place rejects, permits of the other are returned.
 *
 * <p>A decision takes at most the timeout, unless this JVM is too slow to read replies. After a few failures in a row,
 * a node is no longer called until it works again.
 *
 * <p>Thread-safe. Starts no threads: call {@link #cleanUp()} about once a second.
 */
public final class FailoverRateLimiterStorage implements RateLimiterStorage {

    private final RemoteStorage remote;
    private final RateLimiterStorage local;
    private final TimeSource clock;
    private final IntSupplier instances;
    private final RemoteStorage.@Nullable Instances counted;
    private final Nodes nodes;
    private final LocalFallback fallback;
    private final RequestDecider decider;

    private FailoverRateLimiterStorage(Builder builder) {
        this.clock = builder.clock;
        this.remote = builder.remote;
        this.local = builder.local;
        this.counted = builder.instances == 0 ? remote.instances() : null;
        int configured = builder.instances;
        this.instances = counted == null ? () -> configured : counted::known;
        this.nodes = new Nodes(remote, builder.listener, clock);
        this.fallback = new LocalFallback(remote, local, builder.onFailure, instances);
        this.decider = new RequestDecider(remote, nodes, fallback, builder.listener, clock);
    }

    /**
     * Returns a builder.
     *
     * @param remote the storage that normally decides; closed with this one
     * @param local the storage for fallback decisions; not closed
     */
    public static Builder builder(RemoteStorage remote, RateLimiterStorage local) {
        return new Builder(remote, local);
    }

    /** Returns the {@linkplain RemoteStorage#name name} of the remote storage. */
    public String name() {
        return remote.name();
    }

    /** Returns whether all nodes of the remote storage are up. */
    public boolean isAvailable() {
        return nodes.isAvailable();
    }

    /** Returns the number of instances that share the limits; 1 until it is known. */
    public int instances() {
        return instances.getAsInt();
    }

    /**
     * Connects, counts this instance, loads the scripts of the rules, and makes decisions until they are fast. Call
     * this before the first request. Blocks for up to {@code atMost}; returns at once if the storage cannot be reached.
     */
    public void warmUp(Collection<Rule> rules, Duration atMost) {
        new RemoteWarmUp(remote, counted, atMost, clock).run(rules);
    }

    /** Does the same as {@link #decideAsync}, but blocks the caller, which needs no timer. */
    @Override
    public Decision decide(List<Charge> charges) {
        return join(decider.decide(merged(charges), Budget.blocking(remote.timeout(), clock)));
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        List<Charge> merged = merged(charges);
        Budget budget = Budget.of(remote.timeout(), clock);
        return Timeouts.orGiveBack(Timeouts.started(() -> decider.decide(merged, budget)));
    }

    /**
     * Decides in the remote storage, without a fallback, for charges that all instances have to count. Blocks within
     * the budget.
     *
     * @throws StorageUnavailableException if the remote storage does not decide, with the reason
     */
    public Decision decideRemotely(Charge charge) {
        return join(decider.decideRemotely(charge, Budget.blocking(remote.timeout(), clock)));
    }

    private static List<Charge> merged(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("charges is empty, but must contain at least one charge");
        }
        return charges.size() == 1 ? charges : PermitArithmetic.merged(charges);
    }

    /** Returns the result, or throws the failure of the future. */
    private static Decision join(CompletableFuture<Decision> reply) {
        try {
            return reply.join();
        } catch (CompletionException e) {
            throw StorageUnavailableException.causeOf(e) instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public Decision peek(List<Charge> charges) {
        return join(peekAsync(charges));
    }

    /** Decides in memory if one of the nodes is down or fails. */
    @Override
    public CompletableFuture<Decision> peekAsync(List<Charge> charges) {
        List<Charge> merged = merged(charges);
        return Timeouts.started(() ->
                        merged.stream().anyMatch(charge -> nodes.of(charge).isOpen())
                                ? CompletableFuture.completedFuture(fallback.peek(merged))
                                : remote.peekAsync(merged))
                .exceptionally(failed -> {
                    RuntimeException failure = remote.failure(failed);
                    if (failure instanceof StorageUnavailableException) {
                        return fallback.peek(merged);
                    }
                    throw failure;
                });
    }

    /**
     * Deletes the state remotely and in memory. If the remote storage fails, deletes nothing and throws its exception.
     */
    @Override
    public void reset(Rule rule, String key) {
        remote.reset(rule, key);
        local.reset(rule, key);
    }

    @Override
    public TimeSource clock() {
        return remote.clock();
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        remote.onRelease(listener);
        local.onRelease(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        remote.removeReleaseListener(listener);
        local.removeReleaseListener(listener);
    }

    /** Returns the size of the remote storage plus the states in memory. */
    @Override
    public long size() {
        return remote.size() + local.size();
    }

    /**
     * Does periodic work; call this about once a second. While the storage is down, it probes, renews held permits and
     * counts this instance.
     */
    @Override
    public void cleanUp() {
        local.cleanUp();
        nodes.cleanUp();
        remote.cleanUp();
        if (counted != null) {
            counted.sayHello();
        }
    }

    /** Unregisters this instance, if the storage replies in time, and closes the remote storage. */
    @Override
    public void close() {
        if (counted != null) {
            counted.sayGoodbye(remote.timeout());
        }
        remote.close();
    }

    /** Configures the storage. Not thread-safe. */
    public static final class Builder {

        private final RemoteStorage remote;
        private final RateLimiterStorage local;
        private Function<Rule, OnFailure> onFailure = rule -> OnFailure.LOCAL;
        private StorageListener listener = new StorageListener() {};
        private int instances;
        private TimeSource clock = TimeSource.system();

        private Builder(RemoteStorage remote, RateLimiterStorage local) {
            this.remote = remote;
            this.local = local;
        }

        /**
         * Sets how the requests of a rule are decided while the remote storage is down; called for each such decision.
         * Defaults to {@link OnFailure#LOCAL}.
         */
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Sets the listener for the health of the remote storage. */
        public Builder listener(StorageListener listener) {
            this.listener = listener;
            return this;
        }

        /** Sets the number of instances, at least 1. By default the remote storage counts them. */
        public Builder instances(int instances) {
            if (instances < 1) {
                throw new IllegalArgumentException("instances is " + instances + ", but must be 1 or more");
            }
            this.instances = instances;
            return this;
        }

        /** Sets the clock for outages and probes, for tests. */
        Builder timeSource(TimeSource clock) {
            this.clock = clock;
            return this;
        }

        public FailoverRateLimiterStorage build() {
            return new FailoverRateLimiterStorage(this);
        }
    }
}
