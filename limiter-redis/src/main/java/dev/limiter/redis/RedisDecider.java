package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spi.ReturningFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides locally if the decision is known, otherwise in Redis, with one {@link Call} per slot of the request's states.
 * Remembers rejections. Thread-safe; never blocks.
 */
final class RedisDecider implements Leases.Source {

    private final Redis redis;
    private final RequestBatcher batcher;
    private final ServerTime time;
    private final RemoteRules rules;
    private final PermitRenewals held;
    private final KnownRejections rejections;
    private final Returns returns;
    private final StorageStatistics statistics;
    private final Leases leases = new Leases(this);

    RedisDecider(
            Redis redis,
            RequestBatcher batcher,
            ServerTime time,
            RemoteRules rules,
            PermitRenewals held,
            KnownRejections rejections,
            Returns returns,
            StorageStatistics statistics) {
        this.redis = redis;
        this.batcher = batcher;
        this.time = time;
        this.rules = rules;
        this.held = held;
        this.rejections = rejections;
        this.returns = returns;
        this.statistics = statistics;
    }

    /** Returns a decision without calling Redis: a leased permit or a certain rejection; null if there is none. */
    @Nullable
    Decision known(List<Charge> charges) {
        List<Charge> merged = charges.size() == 1 ? charges : PermitArithmetic.merged(charges);
        if (merged.size() != 1) {
            return knownRejection(merged);
        }
        Charge charge = merged.get(0);
        Decision kept = leases.kept(charge);
        if (kept != null) {
            statistics.leaseHit();
            return kept;
        }
        return knownRejection(charge);
    }

    private @Nullable Decision knownRejection(Object request) {
        Decision rejection = rejections.of(request);
        if (rejection != null) {
            statistics.knownRejection();
        }
        return rejection;
    }

    /** Returns the rejection that follows from the last reply to the same request, or null. */
    @Nullable
    Decision rejected(List<Charge> charges) {
        return rejections.lasting(charges.size() == 1 ? charges.get(0) : charges);
    }

    /** Calls Redis, even if the decision is known. */
    CompletableFuture<Decision> ask(List<Charge> charges) {
        return failing(() -> decide(charges));
    }

    /** Returns the decision that these charges would get; charges nothing. */
    CompletableFuture<Decision> peek(List<Charge> charges) {
        return failing(() -> decide(checked(charges), true));
    }

    /**
     * Returns the future of a call, including a call that throws, for example for a rule that Redis does not support.
     */
    private static <T> CompletableFuture<T> failing(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private static List<Charge> checked(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("charges is empty, but must contain at least one charge");
        }
        return PermitArithmetic.merged(charges);
    }

    private CompletableFuture<Decision> decide(List<Charge> charges) {
        List<Charge> merged = checked(charges);
        Charge first = merged.get(0);
        RemoteRule rule = rules.of(first.rule());
        boolean one = merged.size() == 1 && first.permits() == 1 && PermitArithmetic.isPlain(first);
        if (!one || !rule.isShareable()) {
            return decide(merged, false);
        }
        CompletableFuture<Decision> leased = leases.fetched(first);
        return leased != null ? leased : share(first, rule);
    }

    private CompletableFuture<Decision> share(Charge charge, RemoteRule rule) {
        long stamp = rejections.stamp(List.of(charge));
        long calledAt = System.nanoTime();
        return call(charge, rule, rule.keys(charge.key())).share(returns, (decision, position) -> {
            // the others have the same values
            if (position == 0) {
                remember(charge, List.of(decision), stamp, calledAt);
            }
        });
    }

    private Call call(Charge charge, RemoteRule rule, byte[][] keys) {
        return new Call(batcher, time, held, redis.slot(keys[0]), false).add(charge, rule, keys);
    }

    private CompletableFuture<Decision> decide(List<Charge> charges, boolean peek) {
        List<Call> calls = calls(charges, peek);
        if (calls.size() > 1) {
            calls.forEach(Call::withoutWaiting);
            return inSeveralSlots(calls, charges);
        }
        long stamp = rejections.stamp(charges);
        long calledAt = System.nanoTime();
        return calls.get(0)
                .run(
                        returns,
                        decisions -> {
                            if (!peek) {
                                remember(charges.size() == 1 ? charges.get(0) : charges, decisions, stamp, calledAt);
                            }
                            return AbstractDecision.allOf(decisions);
                        },
                        Decision::giveBack);
    }

    /** Returns one call per slot. */
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
                call = new Call(batcher, time, held, slot, peek);
                calls.add(call);
            }
            call.add(charge, rule, keys);
        }
        return calls;
    }

    private void remember(Object request, List<RedisDecision> decisions, long stamp, long calledAt) {
        if (!time.isPassed()) {
            rejections.remember(request, decisions, stamp, calledAt);
        }
    }

    private CompletableFuture<Decision> inSeveralSlots(List<Call> calls, List<Charge> charges) {
        List<CompletableFuture<List<RedisDecision>>> replies = calls.stream()
                .map(call -> call.run(returns, decisions -> decisions, late -> late.forEach(Decision::giveBack)))
                .toList();
        CompletableFuture<Decision> decided = CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                .handle((all, failure) -> {
                    List<RedisDecision> decisions = replies.stream()
                            .filter(reply -> !reply.isCompletedExceptionally())
                            .flatMap(reply -> reply.join().stream())
                            .toList();
                    if (failure != null || !decisions.stream().allMatch(Decision::permitted)) {
                        decisions.forEach(Decision::giveBack);
                    }
                    // throws the failure of one of them
                    replies.forEach(CompletableFuture::join);
                    return AbstractDecision.allApart(inOrder(decisions, charges));
                });
        ReturningFuture<Decision> reply = new ReturningFuture<>(Decision::giveBack);
        var unused = reply.whenComplete((decision, failure) -> {
            if (failure != null) {
                replies.forEach(part -> part.cancel(true));
            }
        });
        return reply.handedBy(decided);
    }

    private static List<RedisDecision> inOrder(List<RedisDecision> decisions, List<Charge> charges) {
        return charges.stream()
                .flatMap(charge -> decisions.stream().filter(decision -> sameState(decision.charge, charge)))
                .toList();
    }

    private static boolean sameState(Charge a, Charge b) {
        return a.key().equals(b.key()) && a.rule().equals(b.rule());
    }

    /** Refunds the leases of a key. */
    void giveBackKept(String rule, String key) {
        leases.giveBack(rule, key);
    }

    /** Drops leases and rejections of a key that has lost its state. */
    void forget(Charge charge) {
        leases.forget(charge.rule().name(), charge.key());
        rejections.forget(charge);
    }

    /** Refunds all leases; {@code caughtUp} as in {@link Leases#giveBackAll}. */
    void giveBackKept(BooleanSupplier caughtUp) {
        leases.giveBackAll(caughtUp);
    }

    /** Drops rejections that are over, and refunds leases that have expired. */
    void cleanUp(BooleanSupplier caughtUp) {
        rejections.cleanUp();
        leases.cleanUp(caughtUp);
    }

    @Override
    public CompletableFuture<LeasedPermits> take(Charge charge, int requests, long more) {
        return failing(() -> lease(charge, requests, more));
    }

    private CompletableFuture<LeasedPermits> lease(Charge charge, int requests, long more) {
        RemoteRule rule = rules.of(charge.rule());
        long stamp = rejections.stamp(List.of(charge));
        long calledAt = System.nanoTime();
        long needed = Math.max(requests, Math.min(rule.smallestBlock, more));
        return call(charge, rule, rule.keys(charge.key()))
                .take(
                        needed,
                        requests + more,
                        reply -> {
                            LeasedPermits block = new LeasedPermits(returns, charge, rule, reply, calledAt, requests);
                            remember(charge, List.of(block.rejection()), stamp, calledAt);
                            return block;
                        },
                        LeasedPermits::giveBack);
    }

    /** Returns 0 for a rule that Redis does not support; the call fails then. */
    @Override
    public long most(Charge charge) {
        try {
            return rules.of(charge.rule()).ahead;
        } catch (RuntimeException failure) {
            return 0;
        }
    }
}
