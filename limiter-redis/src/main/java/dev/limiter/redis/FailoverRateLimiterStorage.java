package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Redis; while that fails, as each rule says: in memory, with this instance's share of the limit; or everything
 * is permitted, or nothing. Decisions tell when they were made so ({@link Decision#onFailure()}).
 *
 * <p>A decision takes no longer than the time-out. After a few failures in a row Redis is not asked any more until it
 * works again, so that an outage costs nothing. What was permitted in memory is charged in Redis then.
 *
 * <p>Thread-safe. Has no thread: {@link #cleanUp()} has to be called once a second or so.
 */
public final class FailoverRateLimiterStorage implements RateLimiterStorage {

    private static final Duration PROBE_EVERY = Duration.ofMillis(500);
    private static final int MAX_SHARES = 10_000;

    /** After so many in vain another connection is tried. */
    private static final int PROBES_OF_A_CONNECTION = 4;

    private final RedisRateLimiterStorage redis;
    private final RateLimiterStorage local;
    private final Function<Rule, OnFailure> onFailure;
    private final IntSupplier instances;
    private final @Nullable Instances counted;
    private final StorageListener listener;
    private final CircuitBreaker breaker = new CircuitBreaker(PROBE_EVERY, System::nanoTime);
    private final LocalUse localUse;
    private final ConcurrentHashMap<Rule, Rule> shares = new ConcurrentHashMap<>();
    private final AtomicInteger probes = new AtomicInteger();
    private volatile int sharedBy = 1;

    private FailoverRateLimiterStorage(Builder builder) {
        this.redis = builder.redis;
        this.local = builder.local;
        this.onFailure = builder.onFailure;
        this.listener = builder.listener;
        this.counted =
                builder.instances == 0 ? new Instances(redis.redis(), redis.keyPrefix(), System::nanoTime) : null;
        int configured = builder.instances;
        this.instances = counted == null ? () -> configured : counted::known;
        this.localUse = new LocalUse(local, redis);
    }

    /**
     * @param redis where decisions are made, and closed when this is
     * @param local where they are made otherwise; not closed
     */
    public static Builder builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
        return new Builder(redis, local);
    }

    /** Whether Redis is asked. */
    public boolean isAvailable() {
        return !breaker.isOpen();
    }

    /** How many instances share the limits, as far as this one knows; 1 until it is known. */
    public int instances() {
        return instances.getAsInt();
    }

    @Override
    public Decision decide(List<Charge> charges) {
        if (breaker.isOpen()) {
            probe();
            return inEmergency(charges);
        }
        long begun = System.nanoTime();
        try {
            CompletableFuture<?> settled = localUse.settle(charges);
            if (!settled.isDone()) {
                Waits.join(settled, redis.timeout());
            }
            CompletableFuture<Decision> answer = redis.ask(charges);
            boolean asked = !answer.isDone();
            Decision decision = Waits.join(answer, redis.timeout());
            if (asked) {
                succeeded(begun);
            }
            return decision;
        } catch (RedisUnavailableException | BrokenStateException failure) {
            failed(failure, begun);
            return inEmergency(charges);
        }
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        if (breaker.isOpen()) {
            probe();
            return CompletableFuture.completedFuture(inEmergency(charges));
        }
        long begun = System.nanoTime();
        CompletableFuture<Decision> answer = localUse.settle(charges).thenCompose(settled -> redis.ask(charges));
        boolean asked = !answer.isDone();
        return Waits.orGiveBack(Waits.within(answer, redis.timeout()).handle((decision, failure) -> {
            if (failure == null) {
                if (asked) {
                    succeeded(begun);
                }
                return decision;
            }
            failed(Failures.of(failure), begun);
            return inEmergency(charges);
        }));
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    /** Redis answered. What is known without it says nothing about Redis. */
    private void succeeded(long begun) {
        listener.asked(StorageListener.Outcome.OK, since(begun));
        works();
    }

    private void failed(RuntimeException failure, long begun) {
        if (failure instanceof BrokenStateException) {
            listener.asked(StorageListener.Outcome.BROKEN_STATE, since(begun));
            listener.broken(failure.getMessage());
            return;
        }
        boolean timedOut = failure instanceof RedisUnavailableException unavailable && unavailable.isTimeout();
        listener.asked(timedOut ? StorageListener.Outcome.TIMEOUT : StorageListener.Outcome.ERROR, since(begun));
        // who is interrupted says nothing about Redis
        if (!Thread.currentThread().isInterrupted() && breaker.failed(begun)) {
            listener.lost(failure);
        }
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Looks whether Redis works again, in time, now and then; nobody waits for that. */
    private void probe() {
        if (!breaker.probeIsDue()) {
            return;
        }
        if (probes.incrementAndGet() % PROBES_OF_A_CONNECTION == 0) {
            // a server that hangs keeps its connections, and another one may have taken over
            redis.redis().reconnect();
        }
        var unused = runProbe().thenRun(this::works);
    }

    /** Finds out also while nobody asks. */
    private void check() {
        long begun = System.nanoTime();
        var unused = runProbe().whenComplete((done, failure) -> {
            if (failure == null) {
                works();
            } else if (breaker.failed(begun)) {
                listener.lost(Waits.failureOf(failure, redis.timeout()));
            }
        });
    }

    private CompletableFuture<Void> runProbe() {
        byte[] key = (redis.keyPrefix() + "probe").getBytes(StandardCharsets.UTF_8);
        return redis.redis()
                .run(Scripts.PROBE, new byte[][] {key})
                .thenAccept(works -> {})
                .toCompletableFuture()
                .orTimeout(redis.timeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void works() {
        if (breaker.succeeded()) {
            probes.set(0);
            listener.found();
        }
    }

    private Decision inEmergency(List<Charge> asked) {
        List<Charge> charges = Charge.merged(asked);
        List<Charge> toDecide = new ArrayList<>(charges.size());
        boolean denied = false;
        for (Charge charge : charges) {
            OnFailure how = onFailure.apply(charge.rule());
            denied |= how == OnFailure.DENY && charge.permits() > 0;
            if (how == OnFailure.LOCAL) {
                toDecide.add(shared(charge));
            }
        }
        Decision decided = toDecide.isEmpty() ? null : denied ? peekAll(toDecide) : local.decide(toDecide);
        boolean taken = decided != null && decided.permitted() && !denied;
        List<Decision> parts = new ArrayList<>(charges.size());
        int next = 0;
        for (Charge charge : charges) {
            OnFailure how = onFailure.apply(charge.rule());
            if (how == OnFailure.LOCAL && decided != null) {
                Runnable returned = taken ? localUse.remember(toDecide.get(next)) : LocalUse.NOTHING;
                parts.add(Decision.onFailure(how, decided.parts().get(next++), returned));
            } else {
                parts.add(new StandInDecision(charge, how == OnFailure.ALLOW || charge.permits() == 0));
            }
        }
        return Decision.allOf(parts);
    }

    private Decision peekAll(List<Charge> charges) {
        return Decision.allOf(charges.stream()
                .map(charge -> local.peek(charge.rule(), charge.key()))
                .toList());
    }

    private Charge shared(Charge charge) {
        int by = instances.getAsInt();
        if (by != sharedBy || shares.size() >= MAX_SHARES) {
            shares.clear();
            sharedBy = by;
        }
        Rule share = shares.computeIfAbsent(charge.rule(), rule -> Share.of(rule, by));
        return new Charge(
                share, charge.key(), charge.permits(), charge.keptPercent(), charge.maxWait(), charge.maxWaiting());
    }

    @Override
    public Decision peek(Rule rule, String key) {
        if (!breaker.isOpen()) {
            try {
                return redis.peek(rule, key);
            } catch (RedisUnavailableException | BrokenStateException failure) {
                // as for a decision, below
            }
        }
        Charge charge = rule.charge(key);
        OnFailure how = onFailure.apply(rule);
        return how == OnFailure.LOCAL
                ? Decision.onFailure(how, local.peek(shared(charge).rule(), key), LocalUse.NOTHING)
                : new StandInDecision(charge, how == OnFailure.ALLOW);
    }

    @Override
    public void reset(Rule rule, String key) {
        local.reset(rule, key);
        redis.reset(rule, key);
    }

    @Override
    public TimeSource clock() {
        return redis.clock();
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        redis.onRelease(listener);
        local.onRelease(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        redis.removeReleaseListener(listener);
        local.removeReleaseListener(listener);
    }

    /** As {@link RedisRateLimiterStorage#size()}, and the states that were decided on in memory. */
    @Override
    public long size() {
        return redis.size() + local.size();
    }

    @Override
    public void cleanUp() {
        local.cleanUp();
        if (breaker.isOpen()) {
            probe();
            return;
        }
        redis.cleanUp();
        if (counted != null) {
            counted.sayHello();
        }
        check();
    }

    @Override
    public void close() {
        redis.close();
    }

    /** Options. Not thread-safe. */
    public static final class Builder {

        private final RedisRateLimiterStorage redis;
        private final RateLimiterStorage local;
        private Function<Rule, OnFailure> onFailure = rule -> OnFailure.LOCAL;
        private StorageListener listener = new StorageListener() {};
        private int instances;

        private Builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
            this.redis = redis;
            this.local = local;
        }

        /** What each rule does while Redis fails, default {@link OnFailure#LOCAL}. Asked for each decision then. */
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Who is told how Redis fares. */
        public Builder listener(StorageListener listener) {
            this.listener = listener;
            return this;
        }

        /** By how many instances a limit is divided in memory, from 1; by default they are counted through Redis. */
        public Builder instances(int instances) {
            if (instances < 1) {
                throw new IllegalArgumentException("instances is " + instances + ", but must be 1 or more");
            }
            this.instances = instances;
            return this;
        }

        public FailoverRateLimiterStorage build() {
            return new FailoverRateLimiterStorage(this);
        }
    }
}
