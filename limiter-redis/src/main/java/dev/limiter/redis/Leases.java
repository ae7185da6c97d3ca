package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spi.ReturningFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The permits that this instance has leased, by key. A request takes one without a lock. When half of a lease is used,
 * the next one is fetched in the background. A request that finds no permit fetches a lease for itself and later
 * requests, or only its own permit while a fetch is in progress. Thread-safe; never blocks.
 */
final class Leases {

    /** Takes permits from Redis. */
    public interface Source {

        /** Takes one permit for each waiting request (0 or 1), and up to {@code more} for later requests. */
        CompletableFuture<LeasedPermits> take(Charge charge, int requests, long more);

        /** Returns the most permits of a key to lease at a time, 0 for none; it may change. */
        long most(Charge charge);
    }

    /** The most keys with leases. */
    public static final int MAX_KEYS = 10_000;

    /**
     * This many leases are refunded before waiting for the server, because its client queues a limited number of calls.
     */
    private static final int AT_ONCE = 250;

    /** The pause after a lease that got fewer permits than it requested. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(RemoteRule.PAUSE_MICROS);

    private static final Lease FIRST = new Lease(List.of(), true, System.nanoTime());

    /**
     * The lease of a key. Immutable; replaced in the map.
     *
     * @param blocks the permits, the oldest first
     * @param fetching whether a call for more is in progress
     * @param pausedUntil the {@link System#nanoTime()} before which no more are fetched
     */
    private record Lease(List<LeasedPermits> blocks, boolean fetching, long pausedUntil) {

        long kept() {
            return blocks.stream()
                    .filter(block -> !block.isTooOld())
                    .mapToLong(LeasedPermits::kept)
                    .sum();
        }

        /** Returns whether the entry can be removed. */
        boolean isOver() {
            return blocks.isEmpty() && !fetching && System.nanoTime() - pausedUntil >= 0;
        }
    }

    private final Source source;
    private final ConcurrentHashMap<Charge, Lease> byKey = new ConcurrentHashMap<>();

    public Leases(Source source) {
        this.source = source;
    }

    /** Returns a leased permit, or null if there is none. */
    public @Nullable Decision kept(Charge charge) {
        Lease lease = byKey.get(charge);
        if (lease == null) {
            return null;
        }
        List<LeasedPermits> blocks = lease.blocks;
        for (LeasedPermits block : blocks) {
            Decision taken = block.take();
            if (taken != null) {
                if (blocks.get(blocks.size() - 1).runsLow() && begin(charge)) {
                    var unused = fetch(charge, 0);
                }
                return taken;
            }
        }
        return null;
    }

    /**
     * Fetches a lease, and returns the decision of the request; null if the request has to take its own permit only.
     */
    public @Nullable CompletableFuture<Decision> fetched(Charge charge) {
        return source.most(charge) > 0 && begin(charge) ? fetch(charge, 1) : null;
    }

    /** Returns whether the caller has to fetch; no other thread does so until it has finished. */
    private boolean begin(Charge charge) {
        Lease lease = byKey.get(charge);
        if (lease == null) {
            return byKey.mappingCount() < MAX_KEYS && byKey.putIfAbsent(charge, FIRST) == null;
        }
        return !lease.fetching
                && System.nanoTime() - lease.pausedUntil >= 0
                && byKey.replace(charge, lease, new Lease(lease.blocks, true, lease.pausedUntil));
    }

    /** Fetches more permits, and completes with the decision of the request that waits, if there is one. */
    private CompletableFuture<Decision> fetch(Charge charge, int requests) {
        long more =
                Math.max(source.most(charge) - byKey.getOrDefault(charge, FIRST).kept(), 0);
        ReturningFuture<Decision> decision = new ReturningFuture<>(Decision::giveBack);
        var unused = source.take(charge, requests, more).whenComplete((block, failure) -> {
            Decision first = block != null && requests > 0 ? block.first() : null;
            end(charge, block, block != null && block.kept() >= more);
            takeOut(charge, LeasedPermits::isTooOld).forEach(LeasedPermits::giveBack);
            if (first != null) {
                decision.hand(first);
            } else if (failure != null) {
                decision.completeExceptionally(failure);
            }
        });
        return decision;
    }

    private void end(Charge charge, @Nullable LeasedPermits block, boolean all) {
        long pausedUntil = System.nanoTime() + (all ? 0 : PAUSE_NANOS);
        byKey.compute(charge, (key, lease) -> {
            List<LeasedPermits> blocks = new ArrayList<>(lease == null ? List.of() : lease.blocks);
            blocks.removeIf(each -> each.kept() == 0);
            if (block != null && block.kept() > 0) {
                blocks.add(block);
            }
            return remembered(new Lease(List.copyOf(blocks), false, pausedUntil));
        });
    }

    private static @Nullable Lease remembered(Lease lease) {
        return lease.isOver() ? null : lease;
    }

    /** Refunds the leases that have expired; {@code caughtUp} as in {@link #giveBackAll}. */
    public void cleanUp(BooleanSupplier caughtUp) {
        giveBack(LeasedPermits::isTooOld, caughtUp);
    }

    /** Refunds the leases of a key under all limits that the rule has for it. Visits all keys. */
    public void giveBack(String rule, String key) {
        charges(rule, key).forEach(charge -> takeOut(charge, block -> true).forEach(LeasedPermits::giveBack));
    }

    /** Drops the leases of a key that has lost its state: they are neither used nor refunded. */
    public void forget(String rule, String key) {
        charges(rule, key).forEach(charge -> takeOut(charge, block -> true).forEach(LeasedPermits::forget));
    }

    /** Returns the charges of a key with the rule's own limits and with those of tiers. */
    private List<Charge> charges(String rule, String key) {
        return byKey.keySet().stream()
                .filter(charge ->
                        charge.key().equals(key) && charge.rule().name().equals(rule))
                .toList();
    }

    /**
     * Refunds all leases.
     *
     * @param caughtUp waits until the server has replied to all calls; returns false if it does not, and the rest is
     *     kept
     */
    public void giveBackAll(BooleanSupplier caughtUp) {
        giveBack(block -> true, caughtUp);
    }

    private void giveBack(Predicate<LeasedPermits> which, BooleanSupplier caughtUp) {
        int given = 0;
        for (Charge charge : byKey.keySet()) {
            int before = given;
            List<LeasedPermits> removed = takeOut(charge, which);
            removed.forEach(LeasedPermits::giveBack);
            given += removed.size();
            if (given / AT_ONCE > before / AT_ONCE && !caughtUp.getAsBoolean()) {
                return;
            }
        }
    }

    private List<LeasedPermits> takeOut(Charge charge, Predicate<LeasedPermits> which) {
        List<LeasedPermits> removed = new ArrayList<>();
        byKey.computeIfPresent(charge, (key, lease) -> {
            List<LeasedPermits> others = new ArrayList<>();
            lease.blocks.forEach(block -> (which.test(block) ? removed : others).add(block));
            return remembered(new Lease(List.copyOf(others), lease.fetching, lease.pausedUntil));
        });
        return removed;
    }
}
