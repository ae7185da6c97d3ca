package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
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
 * no thread: leases of concurrency limits are renewed by {@link #cleanUp()}, which has to be called once a second or so.
 */
public final class RedisRateLimiterStorage implements RateLimiterStorage {

    /** Rules are values and may be made per request; what is worked out for them is then dropped now and then. */
    private static final int MAX_RULES = 10_000;

    private static final int MAX_CALENDAR_ATTEMPTS = 3;

    /** As {@code decide} tells apart what is to be done. */
    private static final int TAKE = 0;

    private static final int PEEK = 1;
    private static final int TAKE_SOME = 2;

    private static final byte[] NO_LEASE = {};

    private final Redis redis;
    private final String keyPrefix;
    private final Duration timeout;
    private final @Nullable TimeSource passedTime;
    private final TimeSource clock;
    private final Leases leases;
    private final KnownRefusals refusals = new KnownRefusals();
    private final SharedCalls shared = new SharedCalls(new Taker());
    private final ToIntFunction<Rule> aheadPercent;
    private final ConcurrentHashMap<Rule, RemoteRule> rules = new ConcurrentHashMap<>();
    private final byte[] instance = new byte[Long.BYTES];
    private final AtomicLong leaseNumber = new AtomicLong();
    private volatile ReleaseListener releases = (rule, key) -> {};

    /** How far the server's clock is ahead of ours; only as good as finding calendar windows takes. */
    private volatile long aheadMicros;

    private RedisRateLimiterStorage(Builder builder) {
        this.redis = builder.redis;
        this.keyPrefix = builder.keyPrefix;
        this.timeout = builder.timeout;
        this.aheadPercent = builder.aheadPercent;
        this.passedTime = builder.passedTime;
        this.clock = passedTime == null ? TimeSource.system() : passedTime;
        this.leases = new Leases(redis, clock, passedTime != null);
        ThreadLocalRandom.current().nextBytes(instance);
    }

    /** Options of a storage in {@code redis}, which it closes when closed. */
    public static Builder builder(Redis redis) {
        return new Builder(redis);
    }

    Redis redis() {
        return redis;
    }

    String keyPrefix() {
        return keyPrefix;
    }

    Duration timeout() {
        return timeout;
    }

    @Override
    public Decision decide(List<Charge> charges) {
        Decision known = known(charges);
        return known != null ? known : await(Waits.orGiveBack(askRedis(charges)));
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        Decision known = known(charges);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : Waits.orGiveBack(Waits.within(askRedis(charges), timeout));
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    /** However long it takes; done at once if Redis need not be asked. */
    CompletableFuture<Decision> ask(List<Charge> charges) {
        Decision known = known(charges);
        return known != null ? CompletableFuture.completedFuture(known) : askRedis(charges);
    }

    /** What Redis need not be asked for: a permit that was taken ahead, or a refusal that is certain; null otherwise. */
    private @Nullable Decision known(List<Charge> charges) {
        List<Charge> merged = charges.size() == 1 ? charges : Charge.merged(charges);
        if (merged.size() != 1) {
            return refusals.of(merged);
        }
        Charge charge = merged.get(0);
        Decision kept = shared.kept(charge);
        return kept != null ? kept : refusals.of(charge);
    }

    private CompletableFuture<Decision> askRedis(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        List<Charge> merged = Charge.merged(charges);
        Charge first = merged.get(0);
        RemoteRule rule = remote(first.rule());
        boolean one = merged.size() == 1 && first.permits() == 1 && first.isPlain();
        return one && rule.isShareable() ? shared.decide(first, rule.ahead) : decideAll(merged, false);
    }

    @Override
    public Decision peek(Rule rule, String key) {
        return await(decideAll(List.of(rule.charge(key)), true));
    }

    private CompletableFuture<Decision> decideAll(List<Charge> charges, boolean dry) {
        Map<Integer, Call> calls = new LinkedHashMap<>();
        for (Charge charge : charges) {
            RemoteRule rule = remote(charge.rule());
            byte[][] keys = rule.keys(charge.key());
            calls.computeIfAbsent(redis.slot(keys[0]), slot -> new Call(dry)).add(charge, rule, keys);
        }
        if (calls.size() > 1) {
            calls.values().forEach(Call::withoutWaiting);
            return inSeveralSlots(List.copyOf(calls.values()), charges);
        }
        long stamp = refusals.stamp(charges);
        long asked = System.nanoTime();
        return calls.values().iterator().next().run().thenApply(decisions -> {
            if (!dry) {
                learn(charges.size() == 1 ? charges.get(0) : charges, decisions, stamp, asked);
            }
            return Decision.allOf(decisions);
        });
    }

    private void learn(Object request, List<RedisDecision> decisions, long stamp, long asked) {
        if (passedTime == null) {
            refusals.learn(request, decisions, stamp, asked);
        }
    }

    private static CompletableFuture<Decision> inSeveralSlots(List<Call> calls, List<Charge> charges) {
        List<CompletableFuture<List<RedisDecision>>> answers =
                calls.stream().map(Call::run).toList();
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

    private RemoteRule remote(Rule rule) {
        RemoteRule known = rules.get(rule);
        if (known != null) {
            return known;
        }
        if (rules.size() >= MAX_RULES) {
            rules.clear();
        }
        return rules.computeIfAbsent(
                rule, absent -> new RemoteRule(absent, keyPrefix, Leases.MICROS, aheadPercent.applyAsInt(absent)));
    }

    private long nowMicros() {
        return Math.floorDiv(clock.epochNanos(), 1000);
    }

    private long passedMicros() {
        return passedTime == null ? Leases.SERVER_TIME : nowMicros();
    }

    private byte[] newLease() {
        return ByteBuffer.allocate(Leases.NAME_LENGTH)
                .put(instance)
                .putLong(leaseNumber.incrementAndGet())
                .array();
    }

    private Decision await(CompletableFuture<Decision> answer) {
        return Waits.join(answer, timeout);
    }

    /** {@code held}: of the concurrency limits, else of all others. */
    void giveBack(RedisDecision decision, boolean held) {
        refusals.forget(decision.charge);
        RemoteRule remote = decision.remote;
        byte[][] keys = remote.keys(decision.charge.key());
        List<byte[]> returned = new ArrayList<>(keys.length);
        Arguments arguments = new Arguments(64)
                .number(passedMicros())
                .number(decision.takenAt())
                .number(decision.charge.permits());
        int algorithms = 0;
        for (int i = 0; i < keys.length; i++) {
            RemoteLimit limit = remote.limits[i];
            if ((limit.algorithm == LuaAlgorithm.CONCURRENCY) == held) {
                limit.giveBack(arguments, decision.mark(i), decision.lease());
                returned.add(keys[i]);
                algorithms |= limit.algorithm.bit();
            }
        }
        if (held) {
            returned.forEach(key -> leases.release(key, decision.charge.permits(), decision.lease()));
        }
        if (returned.isEmpty()) {
            return;
        }
        var unused = redis.run(Scripts.giveBack(algorithms), returned.toArray(byte[][]::new), arguments.toArray())
                .whenComplete((done, failure) -> {
                    // of those who asked before it was done
                    refusals.forget(decision.charge);
                    if (held) {
                        releases.released(remote.rule.name(), decision.charge.key());
                    }
                });
    }

    @Override
    public void reset(Rule rule, String key) {
        RemoteRule remote = remote(rule);
        Charge all = rule.charge(key);
        refusals.forget(all);
        shared.giveBack(all);
        Waits.join(redis.delete(remote.keys(key)).thenRun(() -> refusals.forget(all)), timeout);
        if (remote.holds()) {
            releases.released(rule.name(), key);
        }
    }

    @Override
    public TimeSource clock() {
        return clock;
    }

    /** Hears of what is released here, not on other instances. */
    @Override
    public void onRelease(ReleaseListener listener) {
        releases = listener;
    }

    /** How many leases of concurrency limits this instance holds: it does not count what the server holds. */
    @Override
    public long size() {
        return leases.size();
    }

    @Override
    public void cleanUp() {
        leases.renew();
        refusals.cleanUp();
        shared.cleanUp();
    }

    @Override
    public void close() {
        giveBackKept();
        redis.close();
    }

    /** Gives back all that was taken ahead. */
    void giveBackKept() {
        shared.giveBackAll();
    }

    /** What those need who share calls. */
    private final class Taker implements SharedCalls.Taker {

        @Override
        public CompletableFuture<Block> take(Charge charge, int callers, long ahead) {
            RemoteRule rule = remote(charge.rule());
            Call call = new Call(false);
            call.add(charge, rule, rule.keys(charge.key()));
            long stamp = refusals.stamp(List.of(charge));
            long asked = System.nanoTime();
            long needed = Math.max(callers, Math.min(rule.smallestBlock, ahead));
            return call.take(needed, callers + ahead).thenApply(answer -> {
                Block block = new Block(RedisRateLimiterStorage.this, charge, rule, answer, asked, callers);
                long lasted = (System.nanoTime() - asked) / 1000;
                // what is kept is looked for first
                learn(charge, List.of(block.refusal(lasted + RemoteRule.PAUSE_MICROS)), stamp, asked);
                return block;
            });
        }

        @Override
        public @Nullable Decision refusal(Charge charge) {
            return refusals.of(charge);
        }
    }

    /** What is asked of one slot. Used by one thread after the other. */
    private final class Call {

        private final boolean peek;
        private final List<Charge> charges = new ArrayList<>(2);
        private final List<RemoteRule> remotes = new ArrayList<>(2);
        private final List<byte[]> keys = new ArrayList<>(2);
        private int algorithms;

        /** Nothing is to be charged, because it is only asked or because it would be refused anyway. */
        private boolean dry;

        Call(boolean dry) {
            this.peek = dry;
            this.dry = true;
        }

        void add(Charge charge, RemoteRule remote, byte[][] names) {
            charges.add(charge);
            remotes.add(remote);
            keys.addAll(List.of(names));
            algorithms |= remote.algorithms;
            dry &= charge.permits() == 0;
        }

        void withoutWaiting() {
            charges.replaceAll(charge -> charge.within(Duration.ZERO));
        }

        CompletableFuture<List<RedisDecision>> run() {
            boolean taking = !peek && !dry && !isNever();
            byte[] lease = newLease();
            return ask(taking ? TAKE : PEEK, 0, 0, lease, 1)
                    .thenApply(answer -> decisions(answer, taking && answer.permitted()));
        }

        /** Of one charge of one permit: as many as there are of those that are needed at once, and more if many are left. */
        CompletableFuture<Answer> take(long needed, long most) {
            return ask(TAKE_SOME, needed, most, NO_LEASE, 1);
        }

        private boolean isNever() {
            for (int i = 0; i < charges.size(); i++) {
                for (RemoteLimit limit : remotes.get(i).limits) {
                    if (limit.isNever(charges.get(i))) {
                        return true;
                    }
                }
            }
            return false;
        }

        private CompletableFuture<Answer> ask(int mode, long needed, long most, byte[] lease, int attempt) {
            long now = nowMicros() + aheadMicros;
            Arguments arguments = new Arguments(24 + 72 * keys.size())
                    .number(passedMicros())
                    .octet(mode)
                    .number(needed);
            for (int i = 0; i < charges.size(); i++) {
                Charge charge = charges.get(i);
                long permits = mode == TAKE_SOME ? most : charge.permits();
                for (RemoteLimit limit : remotes.get(i).limits) {
                    limit.ask(arguments, charge, permits, RemoteLimit.micros(charge.maxWait()), lease, now);
                }
            }
            return redis.run(Scripts.decide(algorithms, keys.size()), keys.toArray(byte[][]::new), arguments.toArray())
                    .toCompletableFuture()
                    .thenCompose(reply -> {
                        Answer answer = Answer.of(reply, clock.epochNanos(), lease);
                        return answer.isOutside()
                                ? again(answer, attempt, () -> ask(mode, needed, most, lease, attempt + 1))
                                : CompletableFuture.completedFuture(answer);
                    });
        }

        private CompletableFuture<Answer> again(Answer outside, int attempt, Supplier<CompletableFuture<Answer>> next) {
            if (attempt == MAX_CALENDAR_ATTEMPTS) {
                return CompletableFuture.failedFuture(
                        new RedisUnavailableException("The clock of the server jumps", null));
            }
            aheadMicros = outside.time() - nowMicros();
            return next.get();
        }

        private List<RedisDecision> decisions(Answer answer, boolean charged) {
            List<RedisDecision> decisions = new ArrayList<>(charges.size());
            int name = 0;
            for (int i = 0; i < charges.size(); i++) {
                Charge charge = charges.get(i);
                RemoteRule remote = remotes.get(i);
                boolean took = charged && charge.permits() > 0;
                decisions.add(new RedisDecision(
                        RedisRateLimiterStorage.this,
                        charge,
                        remote,
                        answer.next(remote.limits.length),
                        answer,
                        took,
                        0));
                for (RemoteLimit limit : remote.limits) {
                    if (took && limit.algorithm == LuaAlgorithm.CONCURRENCY) {
                        leases.hold(keys.get(name), charge.permits(), answer.lease());
                    }
                    name++;
                }
            }
            return decisions;
        }
    }

    /** Options of a storage. Not thread-safe. */
    public static final class Builder {

        private final Redis redis;
        private String keyPrefix = "limiter:";
        private Duration timeout = Duration.ofMillis(50);
        private @Nullable TimeSource passedTime;
        private ToIntFunction<Rule> aheadPercent = rule -> 0;

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
         * kept for that share of the window at most. Default 0. In all there are never more permits than the limit, but
         * others may be refused what one has taken and does not use. Not for concurrency limits, and not where one request
         * leaves after the other: these never take anything ahead.
         */
        public Builder lease(ToIntFunction<Rule> percent) {
            this.aheadPercent = percent;
            return this;
        }

        /** Has the server go by this clock, in whole microseconds, instead of its own. For tests. */
        public Builder timeSource(TimeSource timeSource) {
            this.passedTime = timeSource;
            return this;
        }

        public RedisRateLimiterStorage build() {
            return new RedisRateLimiterStorage(this);
        }
    }
}
