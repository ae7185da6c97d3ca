package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.redis.ahead.KnownRejections;
import dev.limiter.redis.ahead.LeasedPermits;
import dev.limiter.redis.ahead.Leases;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.RemoteRules;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ServerTime;
import dev.limiter.spi.ReturningFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides without Redis where the answer is known, and else has Redis decide: by one {@link Call} for each slot
 * that the states of a request are in. Remembers what answers reject.
 * Thread-safe; never blocks.
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

    /** An answer without asking: a permit that was taken ahead, or a rejection that is certain; null if there is none. */
    @Nullable
    Decision known(List<Charge> charges) {
        List<Charge> merged = charges.size() == 1 ? charges : Charge.merged(charges);
        if (merged.size() != 1) {
            return known(merged);
        }
        Charge charge = merged.get(0);
        Decision kept = leases.kept(charge);
        if (kept != null) {
            statistics.leaseHit();
            return kept;
        }
        return known(charge);
    }

    private @Nullable Decision known(Object request) {
        Decision rejection = rejections.of(request);
        if (rejection != null) {
            statistics.knownRejection();
        }
        return rejection;
    }

    /** The rejection that the last answer to the same request still means; null if there is none. */
    @Nullable
    Decision rejected(List<Charge> charges) {
        return rejections.lasting(charges.size() == 1 ? charges.get(0) : charges);
    }

    /** Asks, even if the answer is known. */
    CompletableFuture<Decision> ask(List<Charge> charges) {
        return failing(() -> decide(charges));
    }

    /** The answer that these charges would have, which charges nothing. */
    CompletableFuture<Decision> peek(List<Charge> charges) {
        return failing(() -> decide(checked(charges), true));
    }

    /** A failure of the call itself, such as for a rule that Redis cannot count, is one of the future. */
    private static <T> CompletableFuture<T> failing(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private static List<Charge> checked(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        return Charge.merged(charges);
    }

    private CompletableFuture<Decision> decide(List<Charge> charges) {
        List<Charge> merged = checked(charges);
        Charge first = merged.get(0);
        RemoteRule rule = rules.of(first.rule());
        boolean one = merged.size() == 1 && first.permits() == 1 && first.isPlain();
        if (!one || !rule.isShareable()) {
            return decide(merged, false);
        }
        CompletableFuture<Decision> leased = leases.fetched(first);
        return leased != null ? leased : share(first, rule);
    }

    private CompletableFuture<Decision> share(Charge charge, RemoteRule rule) {
        long stamp = rejections.stamp(List.of(charge));
        long asked = System.nanoTime();
        return call(charge, rule, rule.keys(charge.key())).share(returns, (decision, position) -> {
            // the others have the same numbers
            if (position == 0) {
                learn(charge, List.of(decision), stamp, asked);
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
        long asked = System.nanoTime();
        return calls.get(0)
                .run(
                        returns,
                        decisions -> {
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
                call = new Call(batcher, time, held, slot, peek);
                calls.add(call);
            }
            call.add(charge, rule, keys);
        }
        return calls;
    }

    private void learn(Object request, List<RedisDecision> decisions, long stamp, long asked) {
        if (!time.isPassed()) {
            rejections.learn(request, decisions, stamp, asked);
        }
    }

    private CompletableFuture<Decision> inSeveralSlots(List<Call> calls, List<Charge> charges) {
        List<CompletableFuture<List<RedisDecision>>> answers = calls.stream()
                .map(call -> call.run(returns, decisions -> decisions, late -> late.forEach(Decision::giveBack)))
                .toList();
        CompletableFuture<Decision> decided = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
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
                    return Decision.allApart(inOrder(decisions, charges));
                });
        ReturningFuture<Decision> answer = new ReturningFuture<>(Decision::giveBack);
        var unused = answer.whenComplete((decision, failure) -> {
            if (failure != null) {
                answers.forEach(part -> part.cancel(true));
            }
        });
        return answer.handedBy(decided);
    }

    private static List<RedisDecision> inOrder(List<RedisDecision> decisions, List<Charge> charges) {
        return charges.stream()
                .flatMap(charge -> decisions.stream().filter(decision -> sameState(decision.charge, charge)))
                .toList();
    }

    private static boolean sameState(Charge a, Charge b) {
        return a.key().equals(b.key()) && a.rule().equals(b.rule());
    }

    /** Gives back what was taken ahead of a key by a rule of that name. */
    void giveBackKept(String rule, String key) {
        leases.giveBack(rule, key);
    }

    /** Forgets the key of a rule of that name, whose state is gone: permits taken ahead of it, and rejections. */
    void forget(Charge charge) {
        leases.forget(charge.rule().name(), charge.key());
        rejections.forget(charge);
    }

    /** Gives back all that was taken ahead; {@code caughtUp} as for {@link Leases#giveBackAll}. */
    void giveBackKept(BooleanSupplier caughtUp) {
        leases.giveBackAll(caughtUp);
    }

    /** Forgets rejections that are over, and gives back what was taken ahead too long ago. */
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
        long asked = System.nanoTime();
        long needed = Math.max(requests, Math.min(rule.smallestBlock, more));
        return call(charge, rule, rule.keys(charge.key()))
                .take(
                        needed,
                        requests + more,
                        answer -> {
                            LeasedPermits block = new LeasedPermits(returns, charge, rule, answer, asked, requests);
                            learn(charge, List.of(block.rejection()), stamp, asked);
                            return block;
                        },
                        LeasedPermits::giveBack);
    }

    /** 0 for a rule that Redis cannot count: then the call fails. */
    @Override
    public long most(Charge charge) {
        try {
            return rules.of(charge.rule()).ahead;
        } catch (RuntimeException failure) {
            return 0;
        }
    }
}
