package dev.limiter.spi;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Arithmetic on charges and limits that storages need. */
public final class PermitArithmetic {

    private PermitArithmetic() {}

    /** Returns whether permits are granted evenly spaced, instead of as many at once as are available. */
    public static boolean isSpaced(Limit limit) {
        return limit instanceof Limit.TokenBucket token && !token.warmUp().isZero()
                || limit instanceof Limit.LeakyBucket leaky && leaky.even();
    }

    /**
     * Returns the permits of an unused limit that can be taken at once: the capacity, or 1 if {@link #isSpaced spaced}.
     */
    public static long atOnce(Limit limit) {
        return isSpaced(limit) ? 1 : limit.capacity();
    }

    /**
     * Returns the permits of an unused limit that a charge can take at once, excluding those it reserves for others.
     */
    public static long atOnce(Charge charge, Limit limit) {
        return Math.max(atOnce(limit) - reserved(limit.capacity(), charge.reserve()), 0);
    }

    /** Returns {@code percent} of a capacity, rounded down to whole permits. */
    public static long reserved(long capacity, int percent) {
        return capacity / 100 * percent + capacity % 100 * percent / 100;
    }

    /** Returns whether a charge takes the same number of permits of each limit. */
    public static boolean isEven(Charge charge) {
        int limits = charge.rule().limits().size();
        return limits == 1 || IntStream.range(0, limits).allMatch(limit -> charge.permits(limit) == charge.permits());
    }

    /** Returns whether a charge neither waits nor reserves, and takes the same number of permits of each limit. */
    public static boolean isPlain(Charge charge) {
        return charge.reserve() == 0 && charge.maxWait().isZero() && isEven(charge);
    }

    /** Returns a charge of {@code rule} with the terms of another charge; the limits of both have the same names. */
    public static Charge forRule(Rule rule, Charge terms) {
        Charge charge = rule.charge(terms.key(), terms.permits());
        if (!isEven(terms)) {
            for (int i = 0; i < rule.limits().size(); i++) {
                charge = charge.cost(rule.limits().get(i).name(), terms.permits(i));
            }
        }
        return charge.reserve(terms.reserve())
                .maxWait(terms.maxWait())
                .maxWaiting(terms.maxWaiting())
                .refundable(terms.refundable());
    }

    /**
     * Merges the charges of the same rule and key: permits are added, and the strictest terms apply. Without this, each
     * would be decided as if the others did not exist.
     */
    public static List<Charge> merged(List<Charge> charges) {
        List<Charge> merged = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            int same = 0;
            while (same < merged.size() && !isOfSameState(merged.get(same), charge)) {
                same++;
            }
            if (same == merged.size()) {
                merged.add(charge);
            } else {
                merged.set(same, sum(merged.get(same), charge));
            }
        }
        return merged;
    }

    private static boolean isOfSameState(Charge a, Charge b) {
        return a.key().equals(b.key()) && a.rule().equals(b.rule());
    }

    private static Charge sum(Charge a, Charge b) {
        Charge sum = a;
        List<Limit> limits = a.rule().limits();
        for (int i = 0; i < limits.size(); i++) {
            sum = sum.cost(limits.get(i).name(), sum(a.permits(i), b.permits(i)));
        }
        return sum.reserve(Math.max(a.reserve(), b.reserve()))
                .maxWait(a.maxWait().compareTo(b.maxWait()) < 0 ? a.maxWait() : b.maxWait())
                .maxWaiting(Math.min(a.maxWaiting(), b.maxWaiting()))
                .refundable(a.refundable() || b.refundable());
    }

    private static long sum(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }
}
