package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Charges in the shared storage permits that were granted in memory, as far as they still count, and has those in
 * flight held there. Thread-safe; never blocks.
 */
final class DebtSettlement {

    private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

    /** The most requests in a row for one debt: each takes no more than a request may, and there may be many turns. */
    private static final int MOST_CHARGES = 50;

    private final RateLimiterStorage local;
    private final RateLimiterStorage shared;

    DebtSettlement(RateLimiterStorage local, RateLimiterStorage shared) {
        this.local = local;
        this.shared = shared;
    }

    /**
     * {@code charge}: names the rule as it is now, and the key. Permits that there is no room for remain in the debt; those
     * of a limit that the storage cannot count do not.
     */
    CompletableFuture<?> settle(Charge charge, Debt debt) {
        List<CompletableFuture<?>> settled = new ArrayList<>();
        List<Limit> held = charge.rule().limits().stream().filter(Limit::isHeld).toList();
        Set<String> names = held.stream().map(Limit::name).collect(Collectors.toSet());
        debt.holding().forEach(grant -> grant.holdsOnly(names));
        held.forEach(limit -> settled.add(hold(debt.holding(), limit, charge)));
        List<LimitStatus> statuses = local.peek(debt.share(), charge.key()).limits();
        for (Debt.Part owed : debt.limits()) {
            Limit limit = named(charge.rule(), owed.limit);
            long permits = limit == null ? 0 : owed.counting(statuses);
            if (limit == null || permits + owed.ahead == 0) {
                owed.settled(owed.owed);
            } else {
                Duration within = waiting(charge, limit, statuses, permits);
                settled.add(charge(charge.within(within), limit, owed, permits)
                        .thenCompose(done -> charge(charge.within(limit.window()), limit, owed, owed.ahead))
                        .thenRun(() -> owed.settled(owed.owed - permits - owed.ahead)));
            }
        }
        return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
    }

    private static long counting(LimitStatus status) {
        Limit limit = status.limit();
        return limit.isSpaced()
                ? (long) Math.ceil(status.retryAfter().orElse(Duration.ZERO).toNanos() / LimitUse.interval(limit))
                : limit.capacity() - status.remaining();
    }

    /** Permits of one limit, by the rule as it is: what is stored may depend on all its limits. */
    private static Charge alone(Charge charge, Limit limit, long permits) {
        return charge.rule().charge(charge.key(), 0).costing(limit.name(), permits);
    }

    private static @Nullable Limit named(Rule rule, String name) {
        return rule.limits().stream()
                .filter(limit -> limit.name().equals(name) && !limit.isHeld())
                .findFirst()
                .orElse(null);
    }

    /**
     * Has grants held as far as there is room; what is in flight goes on anyway. The answer to the smallest, which is asked
     * for alone, tells how many others have room: each request for a key without room would ask for all of them in vain.
     */
    private CompletableFuture<?> hold(List<OutageGrant> grants, Limit limit, Charge charge) {
        String name = limit.name();
        List<OutageGrant> waiting = grants.stream()
                .filter(grant -> grant.permits(name) > 0 && !grant.holds(name))
                .sorted(Comparator.comparingLong(grant -> grant.permits(name)))
                .toList();
        if (waiting.isEmpty()) {
            return NOTHING;
        }
        return hold(waiting.get(0), limit, charge)
                .thenCompose(room -> CompletableFuture.allOf(fitting(room, waiting.subList(1, waiting.size()), name)
                        .map(grant -> hold(grant, limit, charge))
                        .toArray(CompletableFuture[]::new)));
    }

    /** The first grants, as far as there is room for all of them together. */
    private static Stream<OutageGrant> fitting(long room, List<OutageGrant> grants, String limit) {
        AtomicLong rest = new AtomicLong(room);
        return grants.stream().takeWhile(grant -> rest.addAndGet(-grant.permits(limit)) >= 0);
    }

    /** Completes with the number of permits that are left then; 0 if it was refused. */
    private CompletableFuture<Long> hold(OutageGrant grant, Limit limit, Charge charge) {
        String name = limit.name();
        return orElse(
                0L,
                () -> shared.decideAsync(List.of(alone(charge, limit, grant.permits(name))))
                        .thenApply(hold -> {
                            grant.hold(name, hold);
                            return hold.permitted() ? left(hold, name) : 0;
                        }));
    }

    private static long left(Decision decision, String limit) {
        return decision.limits().stream()
                .filter(status -> status.limit().name().equals(limit))
                .mapToLong(LimitStatus::remaining)
                .sum();
    }

    /** Completes with another value where the storage cannot count a limit. */
    private static <T> CompletableFuture<T> orElse(
            @Nullable T uncountable, Supplier<? extends CompletionStage<T>> asking) {
        return NOTHING.thenCompose(nothing -> asking.get()).exceptionally(failure -> {
            Throwable cause = StorageExceptionTranslator.causeOf(failure);
            if (cause instanceof IllegalArgumentException) {
                return uncountable;
            }
            throw new CompletionException(cause);
        });
    }

    /**
     * How long permits may wait: turns that memory gave of a paced limit come behind those that the shared storage has
     * given, and of another bucket they come as soon as in memory. Those of any bucket come behind requests that wait
     * for as long as this one may: there is no other room while such requests take each permit that comes free.
     */
    private static Duration waiting(Charge charge, Limit limit, List<LimitStatus> statuses, long permits) {
        double nanos = limit.isSpaced()
                ? limit.capacity() * LimitUse.interval(limit)
                : statuses.stream()
                        .map(LimitStatus::limit)
                        .filter(share -> share.name().equals(limit.name()))
                        .mapToDouble(share -> Math.max(permits - share.capacity(), 0) * LimitUse.interval(share))
                        .sum();
        double behindWaiting = LimitUse.hasLevel(limit) && !charge.maxWait().isZero()
                ? OutageGrant.Terms.nanos(charge.maxWait()) + permits * LimitUse.interval(limit)
                : 0;
        return Duration.ofNanos(
                (long) Math.max(nanos, Math.min(behindWaiting, OutageGrant.Terms.nanos(Limit.MAX_WINDOW))));
    }

    /** Those of a limit that the storage cannot count are settled. */
    private CompletableFuture<?> charge(Charge charge, Limit limit, Debt.Part owed, long permits) {
        return permits == 0
                ? NOTHING
                : orElse(permits, () -> charge(charge, limit, owed, permits, MOST_CHARGES))
                        .thenAccept(owed::settled);
    }

    /**
     * Charges as many permits as there are in time, up to {@code permits} and no more at once than a request may take.
     * Completes with the number of those that {@code owed} has not been told of.
     */
    private CompletableFuture<Long> charge(Charge charge, Limit limit, Debt.Part owed, long permits, int most) {
        long first = Math.min(permits, limit.capacity());
        return shared.decideAsync(List.of(alone(charge, limit, first).within(charge.maxWait())))
                .toCompletableFuture()
                .thenCompose(decision -> {
                    if (decision.permitted() && first < permits && most > 1) {
                        owed.settled(first);
                        return charge(charge, limit, owed, permits - first, most - 1);
                    }
                    long rest = decision.permitted() ? first : Math.min(left(decision, limit.name()), first);
                    return decision.permitted() || rest == 0
                            ? CompletableFuture.completedFuture(rest)
                            : shared.decideAsync(List.of(alone(charge, limit, rest)))
                                    .thenApply(less -> less.permitted() ? rest : 0);
                });
    }

    /**
     * Debt of a key to the shared storage at some moment.
     *
     * @param share the rule by which memory tells how much counts
     * @param limits what is to be charged of each
     * @param holding grants that hold permits of a concurrency limit
     */
    record Debt(Rule share, List<Part> limits, List<OutageGrant> holding) {

        /** The debt of one limit. Used by one thread at a time. */
        static final class Part {

            final String limit;
            final long owed;

            /** So many of them are of the next window. */
            final long ahead;

            private final LimitUse use;
            private final boolean leaks;
            private long settled;

            Part(LimitUse use, long now) {
                this.limit = use.name;
                this.owed = use.owed();
                this.ahead = use.ahead(now);
                this.leaks = use.debtLeaks();
                this.use = use;
            }

            /** How many of them still count, where limits stand so in memory: the rest was given back, or was long ago. */
            private long counting(List<LimitStatus> statuses) {
                return leaks
                        ? owed
                        : statuses.stream()
                                .filter(status -> status.limit().name().equals(limit))
                                .mapToLong(status -> Math.min(DebtSettlement.counting(status), owed - ahead))
                                .findFirst()
                                .orElse(0);
            }

            /** So many more permits are charged, or need not be any more; the rest is owed still. */
            void settled(long permits) {
                settled += permits;
            }

            /** Grants before this generation owe no more what is settled. */
            void end(int generation) {
                use.settled(settled, generation);
            }
        }
    }
}
