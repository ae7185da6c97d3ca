package dev.limiter.failover;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.RemoteDecider.Unanswered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides without the shared storage, as each rule says: in memory, with this instance's share of what was left; or
 * everything is permitted, or nothing. Thread-safe.
 */
final class OutageDecider {

    private static final int MAX_SHARES = 10_000;

    /** A charge that is always refused: what is decided together with it is told, and not granted. */
    private static final Charge NEVER_GRANTED =
            Rule.of("never-granted", Limit.concurrency(1)).charge("never-granted", 2);

    private final RateLimiterStorage local;
    private final OutageUse use;
    private final Function<Rule, OnFailure> onFailure;
    private final IntSupplier instances;
    private final TimeSource clock;
    private volatile Shares shares = new Shares(1, new ConcurrentHashMap<>());

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

    /** One part for each charge, in their order: all are granted, or none. {@code unanswered}: merged. */
    List<Decision> decide(List<Unanswered> unanswered) {
        List<Part> parts = new ArrayList<>(unanswered.size());
        try {
            unanswered.forEach(each -> parts.add(new Part(each.charge)));
            return decide(parts, unanswered);
        } catch (RuntimeException failure) {
            parts.forEach(Part::unreserve);
            unanswered.forEach(Unanswered::giveUp);
            throw failure;
        }
    }

    private List<Decision> decide(List<Part> parts, List<Unanswered> unanswered) {
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
        List<Decision> decisions = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            decisions.add(parts.get(i).end(!refused, unanswered.get(i)));
        }
        return decisions;
    }

    /** The decisions on charges that are not granted, since others of the request are not. */
    List<Decision> look(List<Unanswered> unanswered) {
        return unanswered.stream()
                .map(each -> new Part(each.charge).end(false, each))
                .toList();
    }

    Decision peek(Rule rule, String key) {
        Part part = new Part(rule.charge(key));
        return part.isCounted() ? part.onlyLooked() : part.standIn();
    }

    /** The shares that rules have of one number of instances. */
    private record Shares(int by, ConcurrentMap<Rule, Rule> known) {

        Rule of(Rule whole) {
            return known.computeIfAbsent(whole, rule -> InstanceShare.of(rule, by));
        }
    }

    private Charge shared(Charge charge) {
        int by = instances.getAsInt();
        Shares current = shares;
        if (by != current.by || current.known.size() >= MAX_SHARES) {
            current = new Shares(by, new ConcurrentHashMap<>());
            shares = current;
        }
        Rule share = current.of(charge.rule());
        return new Charge(
                share,
                charge.key(),
                charge.permits(),
                InstanceShare.keeping(charge, by).keptPercent(),
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
        private boolean queued;
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
            queue();
            queued = true;
            OutageUse.Reservation reservation = use.reserve(charge, instances.getAsInt());
            known = reservation.use();
            reserved = reservation.made();
            refused = reserved ? null : reservation.statuses();
            return reserved;
        }

        /** Paced requests wait behind the turns that the shared storage has given. */
        private void queue() {
            for (int i = 0; i < charge.rule().limits().size(); i++) {
                int position = i;
                if (turnsNanos(position, clock.epochNanos()) > 0) {
                    known.inLine(() -> queue(position));
                }
            }
        }

        private void queue(int position) {
            // turns of this moment: memory's line grows shorter while the thread waits, and one more would be missing
            long turns = turnsNanos(position, clock.epochNanos());
            queue(
                    position,
                    missing(inMemory(position), turns),
                    Duration.ofNanos(turns).multipliedBy(2));
        }

        /** Permits of a paced limit alone, no more at once than a request may take. */
        private void queue(int position, long permits, Duration maxWait) {
            Limit limit = shared.rule().limits().get(position);
            for (long rest = permits; rest > 0; rest -= limit.capacity()) {
                Charge alone =
                        shared.rule().charge(charge.key(), 0).costing(limit.name(), Math.min(rest, limit.capacity()));
                local.decide(List.of(alone.within(maxWait)));
            }
        }

        private long turnsNanos(int position, long now) {
            Limit limit = charge.rule().limits().get(position);
            return charge.permits(position) > 0 ? known.turnsNanos(limit, now) : 0;
        }

        private LimitStatus inMemory(int position) {
            return local.peek(shared.rule(), charge.key()).limits().get(position);
        }

        /**
         * How many permits have to be taken of a paced limit in memory until it is behind those turns, as far as there may
         * be so many: one that goes, and a burst that waits.
         */
        private long missing(LimitStatus status, long turns) {
            Limit limit = status.limit();
            double missing = Math.ceil((turns - status.resetAfter().toNanos()) / LimitUse.interval(limit));
            return (long) Math.max(Math.min(missing, limit.capacity() + 1.0), 0);
        }

        /** Where the limits stand if paced requests wait behind those turns. */
        private List<LimitStatus> behindTurns(List<LimitStatus> statuses, long now) {
            List<LimitStatus> behind = new ArrayList<>(statuses);
            for (int i = 0; i < behind.size(); i++) {
                long turns = turnsNanos(i, now);
                if (turns > 0 && behind.get(i).permitted()) {
                    behind.set(i, behindTurns(behind.get(i), inMemory(i), turns));
                }
            }
            return behind;
        }

        private LimitStatus behindTurns(LimitStatus status, LimitStatus inMemory, long turns) {
            long missing = queued ? 0 : missing(inMemory, turns);
            long inMemoryNanos =
                    inMemory.resetAfter().toNanos() + (long) Math.ceil(missing * LimitUse.interval(inMemory.limit()));
            Duration turn = Duration.ofNanos(Math.max(inMemoryNanos, turns));
            Duration wait = turn.minus(charge.maxWait());
            boolean inTime = wait.isZero() || wait.isNegative();
            return new LimitStatus(
                    status.policy(), status.limit(), inTime, 0, inTime ? Optional.empty() : Optional.of(wait), turn);
        }

        Decision end(boolean granted, Unanswered unanswered) {
            Decision made = decided;
            if (granted && made != null) {
                OutageGrant grant = new OutageGrant(known, charge, shared.rule(), begins(made));
                reserved = false;
                unanswered.granted(grant);
                return Decision.onFailure(how, made, afterwards(), grant::giveBack, grant::release);
            }
            unanswered.giveUp();
            if (!isCounted()) {
                return standIn();
            }
            unreserve();
            return made == null ? onlyLooked() : looked(made, afterwards());
        }

        /** When the window of each limit begins that permits were granted of before, in epoch nanoseconds; else 0. */
        private long[] begins(Decision made) {
            long now = clock.epochNanos();
            return made.limits().stream()
                    .mapToLong(OutageDecider::aheadNanos)
                    .map(ahead -> ahead > 0 ? now + ahead : 0)
                    .toArray();
        }

        /** Takes back what it has reserved, unless that is granted. */
        void unreserve() {
            if (reserved) {
                reserved = false;
                known.unreserve(charge);
            }
        }

        Decision onlyLooked() {
            return looked(look(), refused == null ? statuses(charge) : refused);
        }

        /** The answer of memory to the same request, which takes nothing. */
        private Decision look() {
            return shared.permits() == 1 && shared.isPlain()
                    ? local.peek(shared.rule(), shared.key())
                    : local.decide(List.of(shared, NEVER_GRANTED)).parts().get(0);
        }

        private Decision looked(Decision made, List<LimitStatus> statuses) {
            List<LimitStatus> behind = behindTurns(statuses, clock.epochNanos());
            return Decision.onFailure(how, made, behind, OutageDecider::nothing, OutageDecider::nothing);
        }

        /** Where the limits stand when the request has been decided. */
        private List<LimitStatus> afterwards() {
            return statuses(charge.rule().charge(charge.key(), 0).keeping(charge.keptPercent()));
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

    /** A window of which all is used is as good as new later than after its length if the next one is used as well. */
    private static long aheadNanos(LimitStatus status) {
        Limit limit = status.limit();
        return limit.algorithm() == Algorithm.FIXED_WINDOW
                ? status.resetAfter().minus(limit.window()).toNanos()
                : 0;
    }

    private static void nothing() {}
}
