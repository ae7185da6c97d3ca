package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import dev.limiter.failover.DebtSettlement.Debt;
import dev.limiter.failover.OutageGrant.Terms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjDoubleConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The last answer of the shared storage about one rule and key, and the permits that were granted in memory since.
 * Limits go by their names, since a rule may have others by now. Thread-safe; never blocks for long.
 */
final class KeyUse {

    private final List<LimitUse> limits = new ArrayList<>(1);

    /** Grants that hold permits of a concurrency limit. */
    private final Set<OutageGrant> holding = new HashSet<>(2);

    /** The widest rule that what is owed was granted by; null without a grant. */
    private @Nullable Terms terms;

    private final Lapse lapse = new Lapse();

    /** Something was granted since it was last tried to have all charged. */
    private boolean due;

    private @Nullable CompletableFuture<Void> settling;

    /** How many settlements have begun; grants of an earlier generation are, or were, part of one. */
    private int generation;

    /** Grants that were given back during a settlement that they are part of: they are owed no more if it fails. */
    private final List<OutageGrant> givenBack = new ArrayList<>(0);

    /** Guards memory's line of the key; apart from the rest, so that threads that read answers never wait for it. */
    private final Object line = new Object();

    /**
     * Its debt counts until the shared storage tells of the key again, and is owed no more then: there is no room for it
     * among the debts to settle, and in the next outage it would be taken for use of which the answer does not tell.
     */
    private boolean neverSettled;

    /** Its debt was remitted by a reset. */
    private boolean forgotten;

    /** Resets that are under way, which may remit its debt. */
    private int pauses;

    private LimitUse of(String name) {
        for (LimitUse limit : limits) {
            if (limit.name.equals(name)) {
                return limit;
            }
        }
        LimitUse added = new LimitUse(name);
        limits.add(added);
        return added;
    }

    synchronized void answered(RemoteRuleStatus standing, long now) {
        List<Limit> told = standing.rule().limits();
        for (int i = 0; i < told.size(); i++) {
            Limit limit = told.get(i);
            LimitUse use = of(limit.name());
            if (use.answered(limit, standing, i, now) && neverSettled && !use.isReserved()) {
                use.settled(use.owed(), ++generation);
            }
        }
    }

    /** Whether what is granted in memory from now on, and what is owed, will be settled; else the next answer remits it. */
    synchronized void settledLater(boolean settled) {
        neverSettled = !settled;
    }

    /** Permits of an answer are on their way back. {@code held}: as for {@link #owe}. */
    synchronized RemoteRuleStatus.Return returning(RemoteRuleStatus standing, boolean held, long now) {
        List<Limit> taken = standing.rule().limits();
        double[] counting = new double[taken.size()];
        for (int i = 0; i < counting.length; i++) {
            if (taken.get(i).isHeld() == held) {
                counting[i] = of(taken.get(i).name()).counting(standing, i, now);
            }
        }
        Return returning = new Return(taken, counting);
        returning.each(LimitUse::returning);
        return returning;
    }

    /** The thread that reads answers may end it before the one that sends it is told that it is sent. */
    private final class Return implements RemoteRuleStatus.Return {

        private final List<Limit> taken;
        private final double[] counting;
        private boolean sent;
        private boolean ended;

        /** {@code counting}: so many still count of each limit. */
        private Return(List<Limit> taken, double[] counting) {
            this.taken = taken;
            this.counting = counting;
        }

        /** Has each limit count its permits. */
        private void each(ObjDoubleConsumer<LimitUse> counter) {
            for (int i = 0; i < counting.length; i++) {
                counter.accept(of(taken.get(i).name()), counting[i]);
            }
        }

        @Override
        public void sent() {
            synchronized (KeyUse.this) {
                if (!ended) {
                    sent = true;
                    each(LimitUse::sent);
                }
            }
        }

        @Override
        public void ended() {
            synchronized (KeyUse.this) {
                if (sent && !ended) {
                    each(LimitUse::ended);
                }
                ended = true;
            }
        }
    }

    /**
     * Counts permits that are about to be granted in memory, until they are granted or not.
     *
     * @return where each limit stood; they are counted if all permit them
     */
    synchronized List<LimitStatus> reserve(Charge charge, int instances, long now) {
        List<LimitStatus> statuses = statuses(charge, instances, now);
        if (statuses.stream().allMatch(LimitStatus::permitted)) {
            each(charge, LimitUse::reserve);
        }
        return statuses;
    }

    /** The same without counting them. */
    synchronized List<LimitStatus> statuses(Charge charge, int instances, long now) {
        List<Limit> asked = charge.rule().limits();
        List<LimitStatus> statuses = new ArrayList<>(asked.size());
        for (int i = 0; i < asked.size(); i++) {
            statuses.add(of(asked.get(i).name()).status(charge, i, instances, now));
        }
        return statuses;
    }

    /** The time for which the shared storage has given turns of a limit, in nanoseconds. */
    synchronized long turnsNanos(Limit limit, long now) {
        return of(limit.name()).turnsNanos(limit, now);
    }

    /**
     * Has one thread at a time take in memory the turns that are missing there: two that look first would both take them,
     * and the line would be too long by as many. {@code taking}: asks only memory, which never calls back.
     */
    void inLine(Runnable taking) {
        synchronized (line) {
            taking.run();
        }
    }

    /** Permits that were {@linkplain #reserve reserved} are not granted after all. */
    synchronized void unreserve(Charge charge) {
        each(charge, LimitUse::unreserve);
    }

    /** Permits of a grant that were reserved are a debt. {@code held}: those of concurrency limits, or the others. */
    synchronized void owe(OutageGrant grant, boolean held) {
        Terms widest = terms;
        boolean owing = limits.stream().anyMatch(limit -> limit.owed() + limit.unheld() > 0);
        terms = owing && widest != null && grant.terms.isWithin(widest) ? widest : grant.terms;
        if (held) {
            each(grant, true, LimitUse::hold);
        } else {
            owe(grant);
        }
        due = true;
        if (!held) {
            grant.generation = generation;
            lapse.granted(grant.terms.countedNanos(grant.charge.maxWait()), owing);
        } else if (grant.isUnheld()) {
            holding.add(grant);
        }
    }

    private void owe(OutageGrant grant) {
        List<Limit> granted = grant.charge.rule().limits();
        for (int i = 0; i < granted.size(); i++) {
            Limit limit = granted.get(i);
            if (!limit.isHeld()) {
                of(limit.name()).owe(grant.charge.permits(i), grant.begins(i), limit);
            }
        }
    }

    /**
     * Has what is owed lapse once memory counts none of it any more, whether or not there was room for it before. To be
     * called now and then.
     */
    synchronized void lapse(long now) {
        limits.forEach(limit -> limit.leak(now));
        if (lapse.isOver(now) && settling == null && limits.stream().anyMatch(limit -> limit.owed() > 0)) {
            generation++;
            limits.forEach(limit -> limit.settled(limit.owed(), generation));
        }
    }

    /** Permits of a grant are not reserved any more. {@code held}: as for {@link #owe}. */
    synchronized void unreserve(OutageGrant grant, boolean held) {
        each(grant, held, LimitUse::unreserve);
    }

    synchronized boolean isForgotten() {
        return forgotten;
    }

    /** Takes back what a grant has counted, unless that is settled. */
    synchronized void givenBack(OutageGrant grant) {
        if (settling != null && grant.generation < generation) {
            givenBack.add(grant);
        } else {
            each(grant, false, (limit, permits) -> limit.givenBack(permits, grant.generation));
        }
    }

    /** A grant no longer holds what memory let it hold. {@code unheld}: limits that the shared storage does not know of. */
    synchronized void released(OutageGrant grant, Set<String> unheld) {
        holding.remove(grant);
        unheld.forEach(limit -> held(grant, limit));
    }

    /** The shared storage holds the permits of a limit as well, or need not. */
    synchronized void held(OutageGrant grant, String limit) {
        of(limit).held(grant.permits(limit));
    }

    /** Has each limit of a grant, either those of concurrency or the others, count its permits. */
    private void each(OutageGrant grant, boolean held, ObjLongConsumer<LimitUse> counting) {
        List<Limit> granted = grant.charge.rule().limits();
        for (int i = 0; i < granted.size(); i++) {
            if (granted.get(i).isHeld() == held) {
                counting.accept(of(granted.get(i).name()), grant.charge.permits(i));
            }
        }
    }

    /** Has each limit of a charge count its permits. */
    private void each(Charge charge, ObjLongConsumer<LimitUse> counting) {
        List<Limit> charged = charge.rule().limits();
        for (int i = 0; i < charged.size(); i++) {
            counting.accept(of(charged.get(i).name()), charge.permits(i));
        }
    }

    /** @param charge asks for nothing of the key, by the widest rule that what is owed was granted by */
    record Due(Charge charge, long permits) {}

    /** The debt to charge without a request for the key; null if there is none, or there was no room for it before. */
    synchronized @Nullable Due due(String key) {
        Terms widest = terms;
        long permits =
                limits.stream().mapToLong(use -> use.owed() + use.unheld()).sum();
        return due && widest != null && permits > 0 ? new Due(widest.rule().charge(key, 0), permits) : null;
    }

    synchronized boolean owes() {
        return limits.stream().anyMatch(LimitUse::owes);
    }

    synchronized boolean isCovered() {
        return limits.stream().allMatch(LimitUse::isCovered);
    }

    /** Null if that is nothing. */
    private @Nullable Debt debt(long now) {
        Terms widest = terms;
        limits.forEach(limit -> limit.leak(now));
        if (widest == null || forgotten || pauses > 0 || !owes()) {
            return null;
        }
        return new Debt(
                widest.share(),
                limits.stream().map(limit -> new Debt.Part(limit, now)).toList(),
                List.copyOf(holding));
    }

    /**
     * Has the debt charged; later callers wait for the same charge. Complete at once without a debt. A charge that
     * fails leaves owed what it has not settled, and one by a narrower rule may.
     *
     * @param rule by which it is charged
     * @param now in epoch nanoseconds
     */
    CompletableFuture<Void> settle(Rule rule, long now, Settlement settlement) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Debt debt;
        synchronized (this) {
            if (settling != null) {
                return settling;
            }
            debt = debt(now);
            if (debt == null) {
                done.complete(null);
                return done;
            }
            settling = done;
            due &= terms != null && !rule.equals(terms.rule());
            generation++;
        }
        // whatever it throws fails the future
        var unused = CompletableFuture.completedFuture(debt)
                .thenCompose(settlement::settle)
                .whenComplete((ended, failure) -> {
                    end(debt, failure != null);
                    if (failure == null) {
                        done.complete(null);
                    } else {
                        done.completeExceptionally(failure);
                    }
                });
        return done;
    }

    private synchronized void end(Debt debt, boolean failed) {
        settling = null;
        due |= failed;
        debt.limits().forEach(owed -> owed.end(generation));
        givenBack.forEach(this::givenBack);
        givenBack.clear();
    }

    /** No debt is charged from now on. */
    synchronized void forget() {
        forgotten = true;
    }

    /** Ends one {@linkplain #pause pause}. */
    synchronized void resume() {
        pauses--;
    }

    /**
     * No debt is charged until that is {@linkplain #resume resumed}: a settlement that is under way would outlive a reset.
     * Complete when the one that is being charged is, or has failed.
     */
    synchronized CompletableFuture<Void> pause() {
        pauses++;
        CompletableFuture<Void> underWay = settling;
        return underWay == null
                ? CompletableFuture.completedFuture(null)
                : underWay.copy().exceptionally(failure -> null);
    }

    /** Charges a debt in the shared storage. */
    interface Settlement {
        CompletionStage<?> settle(Debt debt);
    }

    /** When memory counts none of what a key owes any more. */
    private static final class Lapse {

        /** The longest time for which memory may count what is owed, in nanoseconds. */
        private long lasting;

        /** When that is over, in epoch nanoseconds; as of a look that came after the last grant. */
        private long end;

        private boolean looked;

        /** Permits count for so long from now on. {@code owing}: besides others, which may count for longer. */
        void granted(long nanos, boolean owing) {
            lasting = owing ? Math.max(lasting, nanos) : nanos;
            looked = false;
        }

        /** To be asked now and then: the time runs from the first look after the last grant. */
        boolean isOver(long now) {
            if (!looked) {
                looked = true;
                end = now + lasting;
                return false;
            }
            return now >= end;
        }
    }
}
