package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Decides while the remote storage is down. Depending on the rule, decides in memory with this instance's share of the
 * limit, permits every request, or rejects every request. Keys that the storage rejected stay rejected until the retry
 * time. Thread-safe.
 */
final class LocalFallback {

    private static final int MAX_SHARES = 10_000;

    /** The retry time if it is unknown when the storage will be back. */
    private static final long TRY_AGAIN = Duration.ofSeconds(1).toNanos();

    private final RemoteStorage remote;
    private final RateLimiterStorage local;
    private final Function<Rule, OnFailure> onFailure;
    private final IntSupplier instances;
    private volatile Shares shares = new Shares(1, new ConcurrentHashMap<>());

    LocalFallback(
            RemoteStorage remote,
            RateLimiterStorage local,
            Function<Rule, OnFailure> onFailure,
            IntSupplier instances) {
        this.remote = remote;
        this.local = local;
        this.onFailure = onFailure;
        this.instances = instances;
    }

    /** Grants all charges or none; they must be merged. */
    Decision decide(List<Charge> charges) {
        List<Part> parts = charges.stream().map(Part::new).toList();
        List<Part> counted = parts.stream().filter(Part::isCounted).toList();
        if (counted.isEmpty() || parts.stream().anyMatch(Part::isDenied)) {
            return AbstractDecision.allOf(parts.stream().map(Part::peek).toList());
        }
        Decision rejected = counted.size() == parts.size() ? remote.rejected(charges) : null;
        return rejected != null ? rejected : decide(parts, counted);
    }

    private Decision decide(List<Part> parts, List<Part> counted) {
        Iterator<Decision> decisions =
                local.decide(counted.stream().map(Part::share).toList()).parts().iterator();
        return AbstractDecision.allOf(parts.stream()
                .map(part -> part.isCounted() ? part.ofWholeRule(decisions.next()) : part.peek())
                .toList());
    }

    /** Returns the decision on merged charges, and takes nothing. */
    Decision peek(List<Charge> charges) {
        List<Part> parts = charges.stream().map(Part::new).toList();
        Decision rejected = parts.stream().allMatch(Part::isCounted) ? remote.rejected(charges) : null;
        return rejected != null
                ? rejected
                : AbstractDecision.allOf(parts.stream().map(Part::peek).toList());
    }

    /** The cached shares of rules, for one number of instances. */
    private record Shares(int instances, ConcurrentMap<Rule, Rule> known) {

        Rule of(Rule whole) {
            return known.computeIfAbsent(whole, rule -> InstanceShare.of(rule, instances));
        }
    }

    private Rule share(Rule rule) {
        int count = instances.getAsInt();
        Shares current = shares;
        if (count != current.instances || current.known.size() >= MAX_SHARES) {
            current = new Shares(count, new ConcurrentHashMap<>());
            shares = current;
        }
        return current.of(rule);
    }

    /** One charge, and how its rule is decided. */
    private final class Part {

        private final Charge charge;
        private final OnFailure how;

        Part(Charge charge) {
            this.charge = charge;
            this.how = onFailure.apply(charge.rule());
        }

        boolean isCounted() {
            return how == OnFailure.LOCAL;
        }

        boolean isDenied() {
            return how == OnFailure.DENY && charge.permits() > 0;
        }

        Charge share() {
            return PermitArithmetic.forRule(LocalFallback.this.share(charge.rule()), charge);
        }

        Decision peek() {
            return isCounted()
                    ? ofWholeRule(local.peek(List.of(share())))
                    : new FixedDecision(charge.rule(), isDenied() ? TRY_AGAIN : 0, FixedDecision.Reason.UNAVAILABLE);
        }

        Decision ofWholeRule(Decision share) {
            return AbstractDecision.onFailure(how, charge.rule(), share);
        }
    }
}
