package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The last answer of the shared storage about each key, and the permits that were granted in memory since: so an
 * outage grants what was left, and not a limit anew. Permits that memory granted are charged in the shared storage
 * once that is back, at the latest before it is asked for the key again; those still in flight are held there until
 * they are released. Memory goes on counting them, so that one outage after the other does not grant one share after
 * the other. Thread-safe.
 */
final class OutageUse implements RemoteRuleStatus.Listener {

    /** The most keys with known remaining permits; the least recently used ones are forgotten. */
    private static final int MOST_KNOWN = 100_000;

    /** The most keys with a debt; grants of further keys are forgotten with the next answer about these. */
    private static final int MOST_OWING = 100_000;

    private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

    record RuleKey(String rule, String key) {

        RuleKey(Charge charge) {
            this(charge.rule().name(), charge.key());
        }
    }

    private final DebtSettlement debts;
    private final TimeSource clock;
    private final int mostOwing;
    private final RecentMap<RuleKey, KeyUse> known = new RecentMap<>(MOST_KNOWN);

    /** The keys with grants that the shared storage does not know yet. */
    private final ConcurrentMap<RuleKey, KeyUse> owing = new ConcurrentHashMap<>();

    OutageUse(RateLimiterStorage local, RateLimiterStorage shared, TimeSource clock) {
        this(local, shared, clock, MOST_OWING);
    }

    OutageUse(RateLimiterStorage local, RateLimiterStorage shared, TimeSource clock, int mostOwing) {
        this.debts = new DebtSettlement(local, shared);
        this.clock = clock;
        this.mostOwing = mostOwing;
    }

    @Override
    public void answered(RemoteRuleStatus standing) {
        of(new RuleKey(standing.rule().name(), standing.key())).answered(standing, clock.epochNanos());
    }

    @Override
    public RemoteRuleStatus.Return returning(RemoteRuleStatus standing, boolean held) {
        return of(new RuleKey(standing.rule().name(), standing.key())).returning(standing, held, clock.epochNanos());
    }

    KeyUse of(Charge charge) {
        return of(new RuleKey(charge));
    }

    KeyUse of(Rule rule, String key) {
        return of(new RuleKey(rule.name(), key));
    }

    private KeyUse of(RuleKey state) {
        KeyUse owed = owing.isEmpty() ? null : owing.get(state);
        return owed != null ? owed : known.computeIfAbsent(state, absent -> new KeyUse());
    }

    /**
     * Whether permits may be granted in memory.
     *
     * @param use of the key
     * @param statuses where each limit stood
     */
    record Reservation(KeyUse use, List<LimitStatus> statuses) {

        /** Whether they may be: they are reserved. */
        boolean made() {
            return statuses.stream().allMatch(LimitStatus::permitted);
        }
    }

    Reservation reserve(Charge charge, int instances) {
        long now = clock.epochNanos();
        Reservation[] made = new Reservation[1];
        owing.compute(new RuleKey(charge), (state, owed) -> {
            KeyUse use = owed != null ? owed : known.computeIfAbsent(state, absent -> new KeyUse());
            made[0] = new Reservation(use, use.reserve(charge, instances, now));
            if (owed != null || !made[0].made()) {
                return owed;
            }
            boolean settled = owing.size() < mostOwing;
            use.settledLater(settled);
            return settled ? use : null;
        });
        return made[0];
    }

    boolean owesNothing() {
        return owing.isEmpty();
    }

    /** A late grant may pay for permits also where there was no room for another debt. */
    void forget(Rule rule, String key) {
        owing.compute(new RuleKey(rule.name(), key), (state, owed) -> {
            KeyUse use = owed != null ? owed : known.get(state);
            known.remove(state);
            if (use != null) {
                use.forget();
            }
            return null;
        });
    }

    /** Whether what the shared storage has just granted leaves enough for what it does not know of yet. */
    boolean isCovered(List<Charge> charges) {
        if (owing.isEmpty()) {
            return true;
        }
        for (Charge charge : charges) {
            KeyUse use = owing.get(new RuleKey(charge));
            if (use != null && !use.isCovered()) {
                return false;
            }
        }
        return true;
    }

    /** Charges in the shared storage what was granted of these in memory; done at once if that is nothing. */
    CompletableFuture<?> settle(List<Charge> charges) {
        if (owing.isEmpty()) {
            return NOTHING;
        }
        List<CompletableFuture<?>> settled = new ArrayList<>();
        for (Charge charge : charges) {
            RuleKey state = new RuleKey(charge);
            KeyUse use = owing.get(state);
            if (use != null) {
                settled.add(use.settle(charge.rule(), clock.epochNanos(), debt -> debts.settle(charge, debt))
                        .thenRun(() -> removeIfDone(state)));
            }
        }
        return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
    }

    /** A charge for each key whose debt was not tried to be settled yet; those with the largest debt first. */
    List<Charge> due() {
        List<KeyUse.Due> all = new ArrayList<>();
        owing.forEach((state, use) -> {
            KeyUse.Due due = use.due(state.key());
            if (due != null) {
                all.add(due);
            }
        });
        return all.stream()
                .sorted(Comparator.comparingLong(KeyUse.Due::permits).reversed())
                .map(KeyUse.Due::charge)
                .toList();
    }

    /** Leaves room for other debts: drops keys that owe nothing, or nothing that counts. To be called once a second. */
    void cleanUp() {
        owing.keySet().forEach(this::removeIfDone);
    }

    private void removeIfDone(RuleKey state) {
        owing.computeIfPresent(state, (same, use) -> {
            use.lapse(clock.epochNanos());
            if (use.owes()) {
                return use;
            }
            known.put(same, use);
            return null;
        });
    }
}
