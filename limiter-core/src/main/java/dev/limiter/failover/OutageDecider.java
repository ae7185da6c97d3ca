package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides without the shared storage, as each rule says: in memory, with this instance's share of what was left; or
 * everything is permitted, or nothing. Thread-safe.
 */
final class OutageDecider {

    private static final int MAX_SHARES = 10_000;

    private final RateLimiterStorage local;
    private final OutageUse use;
    private final Function<Rule, OnFailure> onFailure;
    private final IntSupplier instances;
    private final TimeSource clock;
    private final ConcurrentHashMap<Rule, Rule> shares = new ConcurrentHashMap<>();
    private volatile int sharedBy = 1;

    OutageDecider(
            RateLimiterStorage local,
            OutageUse use,
            Function<Rule, OnFailure> onFailure,
            IntSupplier instances,
            TimeSource clock) {
        this.local = local;
        this.use = use;
        this.onFailure = onFailure;
        this.instances = instances;
        this.clock = clock;
    }

    /** One part for each charge, in their order: all are granted, or none. {@code charges}: merged. */
    List<Decision> decide(List<Charge> charges) {
        List<Part> parts = charges.stream().map(Part::new).toList();
        boolean refused = parts.stream().filter(part -> !part.reserve()).count() > 0;
        List<Part> counted = parts.stream().filter(Part::isCounted).toList();
        if (!refused && !counted.isEmpty()) {
            Decision decided =
                    local.decide(counted.stream().map(part -> part.shared).toList());
            for (int i = 0; i < counted.size(); i++) {
                counted.get(i).decided = decided.parts().get(i);
            }
            refused = !decided.permitted();
        }
        boolean granted = !refused;
        return parts.stream().map(part -> part.end(granted)).toList();
    }

    /** The decisions on charges that are not granted, since others of the request are not. */
    List<Decision> look(List<Charge> charges) {
        return charges.stream().map(charge -> new Part(charge).end(false)).toList();
    }

    Decision peek(Rule rule, String key) {
        Part part = new Part(rule.charge(key));
        return part.isCounted() ? part.onlyLooked() : part.standIn();
    }

    private Charge shared(Charge charge) {
        int by = instances.getAsInt();
        if (by != sharedBy || shares.size() >= MAX_SHARES) {
            shares.clear();
            sharedBy = by;
        }
        Rule share = shares.computeIfAbsent(charge.rule(), rule -> InstanceShare.of(rule, by));
        return new Charge(
                share,
                charge.key(),
                charge.permits(),
                charge.keptPercent(),
                charge.maxWait(),
                charge.maxWaiting(),
                charge.costs());
    }

    /** One charge on its way to a decision. Used by one thread. */
    private final class Part {

        private final Charge charge;
        private final OnFailure how;
        private final Charge shared;
        private KeyUse known;
        private @Nullable List<LimitStatus> refused;
        private boolean reserved;
        private @Nullable Decision decided;

        Part(Charge charge) {
            this.charge = charge;
            this.how = onFailure.apply(charge.rule());
            this.shared = shared(charge);
            this.known = use.of(charge);
        }

        boolean isCounted() {
            return how == OnFailure.LOCAL;
        }

        /** Whether what is known of the key lets it be granted. */
        boolean reserve() {
            if (!isCounted()) {
                return how == OnFailure.ALLOW || charge.permits() == 0;
            }
            queue(clock.epochNanos());
            OutageUse.Reservation reservation = use.reserve(charge, shared.rule(), instances.getAsInt());
            known = reservation.use();
            reserved = reservation.made();
            refused = reserved ? null : reservation.statuses();
            return reserved;
        }

        /** Paced requests wait behind the turns that the shared storage has given. */
        private void queue(long now) {
            List<Limit> limits = charge.rule().limits();
            for (int i = 0; i < limits.size(); i++) {
                long turns = known.turnsNanos(limits.get(i), now);
                if (turns > 0 && charge.permits(i) > 0) {
                    queue(shared.rule(), i, turns);
                }
            }
        }

        private void queue(Rule rule, int position, long turns) {
            Limit limit = rule.limits().get(position);
            LimitStatus status = local.peek(rule, charge.key()).limits().get(position);
            double interval = (double) limit.window().toNanos() / limit.limit();
            double missing = Math.ceil((turns - status.resetAfter().toNanos()) / interval);
            if (missing > 0) {
                long permits = (long) Math.min(missing, (double) limit.capacity());
                // of this limit alone: what others count or hold is charged by whoever has the turns
                Charge theirs = rule.charge(charge.key(), 0).costing(limit.name(), permits);
                local.decide(List.of(theirs.within(Duration.ofNanos(2 * turns))));
            }
        }

        Decision end(boolean granted) {
            if (!isCounted()) {
                return standIn();
            }
            Decision made = decided;
            if (granted && made != null) {
                OutageGrant grant = known.granted(charge);
                return Decision.onFailure(how, made, afterwards(), grant::giveBack, grant::release);
            }
            if (reserved) {
                known.unreserve(charge);
            }
            return made == null ? onlyLooked() : looked(made, afterwards());
        }

        Decision onlyLooked() {
            List<LimitStatus> statuses = refused == null ? statuses(charge) : refused;
            return looked(local.peek(shared.rule(), charge.key()), statuses);
        }

        private Decision looked(Decision made, List<LimitStatus> statuses) {
            return Decision.onFailure(how, made, statuses, OutageDecider::nothing, OutageDecider::nothing);
        }

        /** Where the limits stand when the request has been decided. */
        private List<LimitStatus> afterwards() {
            return statuses(charge.rule().charge(charge.key(), 0));
        }

        private List<LimitStatus> statuses(Charge asked) {
            return known.statuses(asked, instances.getAsInt(), clock.epochNanos());
        }

        Decision standIn() {
            boolean permitted = how == OnFailure.ALLOW || charge.permits() == 0;
            return new StandInDecision(
                    charge, permitted ? OnFailure.ALLOW : how, permitted ? 0 : StandInDecision.TRY_AGAIN);
        }
    }

    private static void nothing() {}
}
