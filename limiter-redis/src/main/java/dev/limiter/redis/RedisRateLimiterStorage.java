package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.ReleaseListener;
import dev.limiter.ReleaseListeners;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.Budget;
import dev.limiter.failover.RemoteStorage;
import dev.limiter.failover.Standing;
import dev.limiter.failover.StorageErrors;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.failover.Timeouts;
import dev.limiter.redis.ahead.KnownRefusals;
import dev.limiter.redis.ahead.LeasedPermits;
import dev.limiter.redis.ahead.SharedCalls;
import dev.limiter.redis.script.Answer;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.RemoteRules;
import dev.limiter.redis.script.ReturnedPermits;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what every key used in Redis or Valkey (6.2 or later), so that all instances share it. Decided there by scripts,
 * by the clock of the server, in whole microseconds; all charges whose states lie together are one round trip.
 *
 * <p>Charges of a request whose states lie in different slots of a cluster are decided side by side, and given back where
 * others refuse: in the meantime somebody may be refused who would not be otherwise, never the opposite. Such requests do
 * not wait for turns.
 *
 * <p>Thread-safe. Blocks for no longer than the {@linkplain Builder#timeout time-out}, and fails with {@link
 * RedisUnavailableException} if there is no answer by then; {@link #decideAsync} does not block. Every state expires. Has
 * no thread: leases of concurrency limits are renewed, and calls that nobody answers given up, by {@link
 * #cleanUp()}, which has to be called once a second or so.
 */
public final class RedisRateLimiterStorage implements RemoteStorage {

    private final Redis redis;
    private final BackgroundRedis background;
    private final String keyPrefix;
    private final Duration timeout;
    private final ServerTime time;
    private final StorageStatistics statistics;
    private final NodeProbes probes;
    private final Batches batches;
    private final HeldPermits leases;
    private final Releases releasing;
    private final KnownRefusals refusals = new KnownRefusals();
    private final SharedCalls shared = new SharedCalls(new Taker());
    private final RemoteRules rules;
    private final Returns returns = new Returning();
    private final ReleaseListeners releases = new ReleaseListeners();
    private volatile Standing.Listener standings = Standing.Listener.NONE;

    private RedisRateLimiterStorage(Builder builder) {
        this.redis = builder.redis;
        this.keyPrefix = builder.keyPrefix;
        this.timeout = builder.timeout;
        ToIntFunction<Rule> aheadPercent = builder.aheadPercent;
        this.rules = new RemoteRules(
                rule -> new RemoteRule(rule, keyPrefix, HeldPermits.MICROS, aheadPercent.applyAsInt(rule)));
        this.time = new ServerTime(builder.passedTime);
        this.statistics = builder.statistics;
        this.batches = new Batches(redis, builder.gather, statistics);
        this.probes = new NodeProbes(redis, keyPrefix);
        this.background = new BackgroundRedis(redis);
        this.leases = new HeldPermits(background, time);
        this.releasing = new Releases(background, statistics);
    }

    /** Options of a storage in {@code redis}, which it closes when closed. */
    public static Builder builder(Redis redis) {
        return new Builder(redis);
    }

    Redis redis() {
        return redis;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public StorageErrors errors() {
        return RedisErrors.INSTANCE;
    }

    @Override
    public boolean isClustered() {
        return redis.isClustered();
    }

    /** The server that has the slot of the charge's states. */
    @Override
    public String node(Charge charge) {
        return redis.node(redis.slot(rules.of(charge.rule()).keys(charge.key())[0]));
    }

    @Override
    public boolean hasNode(String node) {
        return !redis.isClustered() || probes.hasSlots(node);
    }

    @Override
    public CompletionStage<?> probe(String node) {
        return probes.probe(node);
    }

    @Override
    public void reconnect() {
        redis.reconnect();
    }

    @Override
    public CompletionStage<?> connected() {
        return redis.connected();
    }

    /** Has a listener told of all answers, on the thread that reads them. */
    @Override
    public void onStanding(Standing.Listener listener) {
        standings = listener;
    }

    @Override
    public void onMissingRight(Consumer<@Nullable String> listener) {
        background.onMissingRight(listener);
    }

    @Override
    public RemoteStorage.Instances instances() {
        return new RedisInstances(background, keyPrefix, System::nanoTime);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        Decision known = known(charges);
        return known != null ? known : await(askRedis(charges));
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        Decision known = known(charges);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : Timeouts.orGiveBack(RedisErrors.TIMEOUTS.within(askRedis(charges), Budget.of(timeout)));
    }

    @Override
    public CompletableFuture<Decision> ask(List<Charge> charges) {
        Decision known = known(charges);
        return known != null ? CompletableFuture.completedFuture(known) : askRedis(charges);
    }

    /** What Redis need not be asked for: a permit that was taken ahead, or a refusal that is certain; null otherwise. */
    private @Nullable Decision known(List<Charge> charges) {
        List<Charge> merged = charges.size() == 1 ? charges : Charge.merged(charges);
        if (merged.size() != 1) {
            return refused(merged);
        }
        Charge charge = merged.get(0);
        Decision kept = shared.kept(charge);
        if (kept != null) {
            statistics.leaseHit();
            return kept;
        }
        return refused(charge);
    }

    private @Nullable Decision refused(Object request) {
        Decision refusal = refusals.of(request);
        if (refusal != null) {
            statistics.knownRefusal();
        }
        return refusal;
    }

    private CompletableFuture<Decision> askRedis(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        List<Charge> merged = Charge.merged(charges);
        Charge first = merged.get(0);
        RemoteRule rule = rules.of(first.rule());
        boolean one = merged.size() == 1 && first.permits() == 1 && first.isPlain();
        return one && rule.isShareable() ? shared.decide(first, rule.ahead) : decideAll(merged, false);
    }

    @Override
    public Decision peek(Rule rule, String key) {
        return await(decideAll(List.of(rule.charge(key)), true));
    }

    private CompletableFuture<Decision> decideAll(List<Charge> charges, boolean peek) {
        List<Call> calls = calls(charges, peek);
        if (calls.size() > 1) {
            calls.forEach(Call::withoutWaiting);
            return Timeouts.orGiveBack(inSeveralSlots(calls, charges));
        }
        long stamp = refusals.stamp(charges);
        long asked = System.nanoTime();
        return calls.get(0)
                .run(
                        returns,
                        decisions -> {
                            decisions.forEach(standings::answered);
                            if (!peek) {
                                learn(charges.size() == 1 ? charges.get(0) : charges, decisions, stamp, asked);
                            }
                            return Decision.allOf(decisions);
                        },
                        Decision::giveBack);
    }

    /** One for each slot. */
    private List<Call> calls(List<Charge> charges, boolean peek) {
        List<Call> calls = new ArrayList<>(1);
        for (Charge charge : charges) {
            RemoteRule rule = rules.of(charge.rule());
            byte[][] keys = rule.keys(charge.key());
            int slot = redis.slot(keys[0]);
            Call call = null;
            for (Call other : calls) {
                call = other.slot() == slot ? other : call;
            }
            if (call == null) {
                call = new Call(batches, time, leases, slot, peek);
                calls.add(call);
            }
            call.add(charge, rule, keys);
        }
        return calls;
    }

    private List<RedisDecision> told(List<RedisDecision> decisions) {
        decisions.forEach(standings::answered);
        return decisions;
    }

    private void learn(Object request, List<RedisDecision> decisions, long stamp, long asked) {
        if (!time.isPassed()) {
            refusals.learn(request, decisions, stamp, asked);
        }
    }

    private CompletableFuture<Decision> inSeveralSlots(List<Call> calls, List<Charge> charges) {
        List<CompletableFuture<List<RedisDecision>>> answers = calls.stream()
                .map(call -> call.run(returns, this::told, late -> late.forEach(Decision::giveBack)))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .handle((all, failure) -> {
                    List<RedisDecision> decisions = answers.stream()
                            .filter(answer -> !answer.isCompletedExceptionally())
                            .flatMap(answer -> answer.join().stream())
                            .toList();
                    if (failure != null || !decisions.stream().allMatch(Decision::permitted)) {
                        decisions.forEach(Decision::giveBack);
                    }
                    // throws what one of them failed with
                    answers.forEach(CompletableFuture::join);
                    return Decision.allOf(inOrder(decisions, charges));
                });
    }

    private static List<RedisDecision> inOrder(List<RedisDecision> decisions, List<Charge> charges) {
        return charges.stream()
                .flatMap(charge -> decisions.stream().filter(decision -> sameState(decision.charge, charge)))
                .toList();
    }

    private static boolean sameState(Charge a, Charge b) {
        return a.key().equals(b.key()) && a.rule().equals(b.rule());
    }

    private Decision await(CompletableFuture<Decision> answer) {
        return RedisErrors.TIMEOUTS.join(answer, timeout);
    }

    /** What takes permits back from decisions. */
    private final class Returning implements Returns {

        @Override
        public void giveBack(RedisDecision decision, boolean held) {
            refusals.forget(decision.charge);
            standings.returned(decision, held);
            ReturnedPermits returned = ReturnedPermits.of(decision, held, time);
            if (held) {
                returned.forEach((state, permits) -> leases.release(state, permits, decision.lease()));
                release(returned, decision.charge);
            } else if (!returned.isEmpty()) {
                // refusals of those who asked before it was done
                releasing.send(returned, false, () -> refusals.forget(decision.charge));
            }
        }

        @Override
        public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] lease) {
            release(ReturnedPermits.unanswered(charge, remote, lease, time), charge);
        }

        private void release(ReturnedPermits returned, Charge charge) {
            if (!returned.isEmpty()) {
                releasing.send(returned, true, () -> {
                    refusals.forget(charge);
                    releases.released(charge.rule().name(), charge.key());
                });
            }
        }
    }

    @Override
    public void reset(Rule rule, String key) {
        RemoteRule remote = rules.of(rule);
        Charge all = rule.charge(key);
        refusals.forget(all);
        shared.giveBack(all);
        RedisErrors.TIMEOUTS.join(redis.delete(remote.keys(key)).thenRun(() -> refusals.forget(all)), timeout);
        if (remote.holds()) {
            releases.released(rule.name(), key);
        }
    }

    @Override
    public TimeSource clock() {
        return time.clock();
    }

    /** Hears of what is released here, not on other instances. */
    @Override
    public void onRelease(ReleaseListener listener) {
        releases.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        releases.remove(listener);
    }

    /** How many leases of concurrency limits this instance holds: it does not count what the server holds. */
    @Override
    public long size() {
        return leases.size();
    }

    @Override
    public void cleanUp() {
        batches.abandon(timeout);
        leases.renew();
        refusals.cleanUp();
        shared.cleanUp(this::caughtUp);
    }

    @Override
    public void close() {
        giveBackKept();
        releasing.close();
        redis.close();
    }

    /** Gives back all that was taken ahead. */
    void giveBackKept() {
        shared.giveBackAll(this::caughtUp);
    }

    /** Whether the server answers in time: then it has answered what it was asked before, too. */
    private boolean caughtUp() {
        try {
            RedisErrors.TIMEOUTS.join(probes.probe(""), timeout);
            return true;
        } catch (StorageUnavailableException failure) {
            return false;
        }
    }

    /** What those need who share calls. */
    private final class Taker implements SharedCalls.Taker {

        @Override
        public CompletableFuture<LeasedPermits> take(Charge charge, int callers, long ahead) {
            RemoteRule rule = rules.of(charge.rule());
            byte[][] keys = rule.keys(charge.key());
            long stamp = refusals.stamp(List.of(charge));
            long asked = System.nanoTime();
            long needed = Math.max(callers, Math.min(rule.smallestBlock, ahead));
            return new Call(batches, time, leases, redis.slot(keys[0]), false)
                    .add(charge, rule, keys)
                    .take(
                            needed,
                            callers + ahead,
                            answer -> block(charge, rule, answer, callers, stamp, asked),
                            LeasedPermits::giveBack);
        }

        private LeasedPermits block(
                Charge charge, RemoteRule rule, Answer answer, int callers, long stamp, long asked) {
            LeasedPermits block = new LeasedPermits(returns, charge, rule, answer, asked, callers);
            standings.answered(block.standing());
            long lasted = (System.nanoTime() - asked) / 1000;
            // what is kept is looked for first
            learn(charge, List.of(block.refusal(lasted + RemoteRule.PAUSE_MICROS)), stamp, asked);
            return block;
        }

        @Override
        public @Nullable Decision refusal(Charge charge) {
            return refusals.of(charge);
        }
    }

    /** Options of a storage. Not thread-safe. */
    public static final class Builder {

        private final Redis redis;
        private String keyPrefix = "limiter:";
        private Duration timeout = Duration.ofMillis(50);
        private @Nullable TimeSource passedTime;
        private ToIntFunction<Rule> aheadPercent = rule -> 0;
        private Duration gather = Batches.GATHER;
        private StorageStatistics statistics = new StorageStatistics();

        private Builder(Redis redis) {
            this.redis = redis;
        }

        /** What the names of all keys begin with, default {@code limiter:}; without braces, which decide the slot. */
        public Builder keyPrefix(String keyPrefix) {
            if (keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
                throw new IllegalArgumentException(
                        "keyPrefix is \"" + keyPrefix
                                + "\", but must not contain braces: what is between braces decides where keys are in a cluster");
            }
            this.keyPrefix = keyPrefix;
            return this;
        }

        /** How long a decision may take, positive, default 50 ms. */
        public Builder timeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout is " + timeout + ", but must be positive");
            }
            this.timeout = timeout;
            return this;
        }

        /**
         * The share of a rule's limits, in percent from 0 to 50, that this instance takes ahead to decide on its own; it is
         * kept for that share of the window at most. Default 0. In no window are more used than the limit admits: sliding
         * windows and buckets count a permit for that time longer, and so bring that share less. Others may be refused
         * what one has taken and does not use. Permits of 10,000 keys are kept at most. Not for concurrency limits, and not where one request
         * leaves after the other: these never take anything ahead.
         */
        public Builder lease(ToIntFunction<Rule> percent) {
            this.aheadPercent = percent;
            return this;
        }

        /** Where it counts what it does, for meters. */
        public Builder statistics(StorageStatistics statistics) {
            this.statistics = statistics;
            return this;
        }

        /** Has the server go by this clock, in whole microseconds, instead of its own. For tests. */
        public Builder timeSource(TimeSource timeSource) {
            this.passedTime = timeSource;
            return this;
        }

        /** Has requests gather while answers come within that time. For tests. */
        Builder gather(Duration gather) {
            this.gather = gather;
            return this;
        }

        public RedisRateLimiterStorage build() {
            return new RedisRateLimiterStorage(this);
        }
    }
}
