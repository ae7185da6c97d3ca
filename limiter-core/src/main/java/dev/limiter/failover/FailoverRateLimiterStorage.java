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
 * Decides in a remote storage. While a node of it is down, each rule says how its requests are decided: in memory, by
 * this instance's share of each limit, {@code max(1, limit / instances)}, from an empty state; or all are permitted, or
 * none. See {@link Decision#onFailure()}.
 *
 * <p>Permits that memory grants are not charged to the remote storage later: an outage grants at most one more {@code
 * limit} in its first window, and one {@code limit} per window after that. Keys that the storage has rejected until some
 * time stay rejected until then. A request with keys on a healthy node and on one that is down is decided in both
 * places, all or nothing: in memory first, then remotely, and what one place has granted is given back when the other
 * rejects.
 *
 * <p>A decision takes no longer than the time-out, unless this JVM is too slow to read replies. After a few failures in
 * a row a node is not asked until it works again.
 *
 * <p>Thread-safe. Has no thread: call {@link #cleanUp()} about once a second.
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
        remote.onMissingRight(builder.listener::lacksRight);
    }

    /**
     * @param remote where decisions are made, and closed when this is
     * @param local where they are made otherwise; not closed
     */
    public static Builder builder(RemoteStorage remote, RateLimiterStorage local) {
        return new Builder(remote, local);
    }

    /** The {@linkplain RemoteStorage#name name} of the remote storage. */
    public String name() {
        return remote.name();
    }

    /** Returns whether all nodes of the remote storage are up. */
    public boolean isAvailable() {
        return nodes.isAvailable();
    }

    /** The number of instances that share the limits; 1 until it is known. */
    public int instances() {
        return instances.getAsInt();
    }

    /**
     * Connects, counts this instance, loads the scripts of the rules and decides until that is fast. Call it before the
     * first request. Blocks for that time at most; returns at once if the storage cannot be reached.
     */
    public void warmUp(Collection<Rule> rules, Duration atMost) {
        new RemoteWarmUp(remote, counted, atMost, clock).run(rules);
    }

    /** {@link #decideAsync}, blocking: the caller waits itself, which costs no timer. */
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
     * Decides in the remote storage or not at all, for charges that all instances have to see. Blocks within the budget.
     *
     * @throws StorageUnavailableException if the remote storage does not decide, with the reason
     */
    public Decision decideRemotely(Charge charge) {
        return join(decider.decideRemotely(charge, Budget.blocking(remote.timeout(), clock)));
    }

    private static List<Charge> merged(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        return charges.size() == 1 ? charges : PermitArithmetic.merged(charges);
    }

    /** Throws the failure of the future. */
    private static Decision join(CompletableFuture<Decision> answer) {
        try {
            return answer.join();
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

    /** In memory if one of the nodes is not asked, or fails. */
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

    /** Fails, and resets nothing, if the remote storage fails. */
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

    /** The size of the remote storage, plus the states in memory. */
    @Override
    public long size() {
        return remote.size() + local.size();
    }

    /**
     * Call it about once a second. Also while the storage is down, it probes, renews held permits and counts this
     * instance.
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

    /** Stops counting this instance, if the storage replies in time, and closes the remote storage. */
    @Override
    public void close() {
        if (counted != null) {
            counted.sayGoodbye(remote.timeout());
        }
        remote.close();
    }

    /** Options. Not thread-safe. */
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
         * How rules are decided while the remote storage is down; called for each such decision. Defaults to {@link
         * OnFailure#LOCAL}.
         */
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Registers the listener for the health of the remote storage. */
        public Builder listener(StorageListener listener) {
            this.listener = listener;
            return this;
        }

        /** The number of instances, at least 1. By default the remote storage counts them. */
        public Builder instances(int instances) {
            if (instances < 1) {
                throw new IllegalArgumentException("instances is " + instances + ", but must be 1 or more");
            }
            this.instances = instances;
            return this;
        }

        /** The clock of outages and probes. For tests. */
        Builder timeSource(TimeSource clock) {
            this.clock = clock;
            return this;
        }

        public FailoverRateLimiterStorage build() {
            return new FailoverRateLimiterStorage(this);
        }
    }
}
