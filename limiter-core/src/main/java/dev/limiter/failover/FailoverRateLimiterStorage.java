package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.RemoteDecider.Question;
import dev.limiter.failover.RemoteDecider.Unanswered;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides in a remote storage; while that fails, as each rule says: in memory, with this instance's share of what was
 * left of the limit; or everything is permitted, or nothing. Decisions tell when they were made so ({@link
 * Decision#onFailure()}).
 *
 * <p>A decision takes no longer than the time-out, unless this JVM is too slow to read answers. After a few failures in a row a node is not asked any more until it
 * works again, so that an outage costs nothing; where there are several, that is each node by itself. The remote
 * storage is charged for the permits granted in memory when it is back.
 *
 * <p>Thread-safe. Has no thread: {@link #cleanUp()} has to be called once a second or so.
 */
public class FailoverRateLimiterStorage implements RateLimiterStorage {

    private final RemoteStorage remote;
    private final RateLimiterStorage local;
    private final TimeSource clock;
    private final IntSupplier instances;
    private final RemoteStorage.@Nullable Instances counted;
    private final RemoteHealth health;
    private final OutageUse outageUse;
    private final OutageDecider outage;
    private final RemoteDecider asked;

    protected FailoverRateLimiterStorage(Builder builder) {
        this.clock = builder.clock;
        this.remote = builder.remote;
        this.local = builder.local;
        this.counted = builder.instances == 0 ? remote.instances() : null;
        int configured = builder.instances;
        this.instances = counted == null ? () -> configured : counted::known;
        this.outageUse = new OutageUse(local, remote, clock);
        this.health = new RemoteHealth(remote, builder.listener, new BatchSettlement(outageUse), clock);
        this.outage = new OutageDecider(local, outageUse, builder.onFailure, instances, clock);
        this.asked = new RemoteDecider(remote, outageUse, builder.listener, clock);
        remote.onStanding(outageUse);
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

    /** Whether the remote storage is asked; where there are several nodes, whether all are. */
    public boolean isAvailable() {
        return health.isAvailable();
    }

    /** How many instances share the limits, as far as this one knows; 1 until it is known. */
    public int instances() {
        return instances.getAsInt();
    }

    /**
     * Waits until the connection is there, this instance is counted, each rule was looked at once, and decisions are fast, as long as
     * this JVM may still be slow: to be called before requests come. Gives up at once where the storage cannot
     * be reached. Blocks.
     */
    public void warmUp(Collection<Rule> rules, Duration atMost) {
        new RemoteWarmUp(remote, counted, atMost, clock).run(rules);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        List<Charge> merged = merged(charges);
        Budget budget = budget();
        if (!health.isOne(merged)) {
            return await(decideLater(merged, budget));
        }
        NodeHealth node = health.of(merged.get(0));
        if (node.isOpen()) {
            node.probe();
            return Decision.allOf(outage.decide(Unanswered.notAsked(merged)));
        }
        Question question = asked.new Question(merged, node);
        try {
            return question.decide(budget);
        } catch (StorageUnavailableException failure) {
            return failure.isOfOneState() && merged.size() > 1
                    ? await(split(merged, budget).decideEach(node))
                    : Decision.allOf(outage.decide(question.unanswered()));
        }
    }

    /**
     * Decides in the remote storage or not at all: for charges that are to be seen by all instances. Blocks for as long
     * as a decision may.
     *
     * @throws StorageUnavailableException if the remote storage does not decide, with the reason
     */
    public Decision decideRemotely(Charge charge) {
        Question question = asked.new Question(List.of(charge), health.of(charge));
        try {
            return question.decide(budget());
        } catch (StorageUnavailableException failure) {
            question.unanswered().forEach(Unanswered::giveUp);
            throw failure;
        }
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        return decideLater(merged(charges), budget());
    }

    /** Of one decision, however often the remote storage is asked for it. */
    private Budget budget() {
        return new Budget(remote.timeout(), clock);
    }

    private static List<Charge> merged(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        return charges.size() == 1 ? charges : Charge.merged(charges);
    }

    private CompletableFuture<Decision> decideLater(List<Charge> merged, Budget budget) {
        return Timeouts.orGiveBack(
                CompletableFuture.completedFuture(split(merged, budget)).thenCompose(SplitRequest::decide));
    }

    /** Throws what the answer has failed with. */
    private static Decision await(CompletableFuture<Decision> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw StorageExceptionTranslator.causeOf(e) instanceof RuntimeException cause ? cause : e;
        }
    }

    private SplitRequest split(List<Charge> merged, Budget budget) {
        return new SplitRequest(merged, health, asked, outage, budget);
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public Decision peek(Rule rule, String key) {
        if (!health.of(rule.charge(key)).isOpen()) {
            try {
                return remote.peek(rule, key);
            } catch (StorageUnavailableException failure) {
                // as for a decision, below
            }
        }
        return outage.peek(rule, key);
    }

    @Override
    public CompletableFuture<Decision> peekAsync(Rule rule, String key) {
        return CompletableFuture.completedFuture(rule.charge(key))
                .thenCompose(charge -> health.of(charge).isOpen()
                        ? CompletableFuture.completedFuture(outage.peek(rule, key))
                        : remote.peekAsync(rule, key))
                .exceptionally(failure -> {
                    RuntimeException cause = remote.errors().failure(failure);
                    if (cause instanceof StorageUnavailableException) {
                        return outage.peek(rule, key);
                    }
                    throw cause;
                });
    }

    /** Fails, and resets nothing, where the remote storage cannot. */
    @Override
    public void reset(Rule rule, String key) {
        KeyUse use = outageUse.of(rule, key);
        use.pause()
                .completeOnTimeout(null, remote.timeout().toNanos(), TimeUnit.NANOSECONDS)
                .join();
        try {
            remote.reset(rule, key);
            local.reset(rule, key);
            outageUse.forget(rule, key);
        } finally {
            use.resume();
        }
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

    /** The size of the remote storage, and the states that were decided on in memory. */
    @Override
    public long size() {
        return remote.size() + local.size();
    }

    /**
     * Cleans the remote storage up also while it is not asked: what this instance holds there has to be renewed, and
     * it counts among those that share a limit, on whatever node they are counted.
     */
    @Override
    public void cleanUp() {
        local.cleanUp();
        outageUse.cleanUp();
        health.cleanUp();
        health.settle();
        remote.cleanUp();
        if (counted != null) {
            counted.sayHello();
        }
    }

    /** Has other instances count on without this one, if the storage answers in time. */
    @Override
    public void close() {
        if (counted != null) {
            counted.sayGoodbye(remote.timeout());
        }
        remote.close();
    }

    /** Options. Not thread-safe. */
    public static class Builder {

        private final RemoteStorage remote;
        private final RateLimiterStorage local;
        private Function<Rule, OnFailure> onFailure = rule -> OnFailure.LOCAL;
        private StorageListener listener = new StorageListener() {};
        private int instances;
        private TimeSource clock = TimeSource.system();

        protected Builder(RemoteStorage remote, RateLimiterStorage local) {
            this.remote = remote;
            this.local = local;
        }

        /**
         * Says for each rule how it is decided while the remote storage fails, default {@link OnFailure#LOCAL}. Asked
         * for each decision then.
         */
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Has a listener told how the remote storage fares. */
        public Builder listener(StorageListener listener) {
            this.listener = listener;
            return this;
        }

        /** The number of instances that share a limit in memory, from 1; by default the remote storage counts them. */
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
