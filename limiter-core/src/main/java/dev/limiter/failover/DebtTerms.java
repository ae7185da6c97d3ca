package dev.limiter.failover;

import dev.limiter.Limit;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The rule of a grant: under a narrower one memory does not tell how much counts, and the shared storage has no room.
 *
 * @param rule as it was asked for
 * @param share its share that memory has decided on
 */
record DebtTerms(Rule rule, Rule share) {

    boolean isWithin(DebtTerms wider) {
        return isWithin(rule.limits(), wider.rule.limits()) && isWithin(share.limits(), wider.share.limits());
    }

    private static boolean isWithin(List<Limit> here, List<Limit> there) {
        return here.size() == there.size()
                && IntStream.range(0, here.size()).allMatch(i -> isWithin(here.get(i), there.get(i)));
    }

    private static boolean isWithin(Limit limit, Limit wider) {
        return limit.name().equals(wider.name())
                && limit.algorithm() == wider.algorithm()
                && limit.window().equals(wider.window())
                && limit.capacity() <= wider.capacity();
    }

    /**
     * The longest time for which memory may count a permit, in nanoseconds: that of a window or bucket twice, besides a
     * rest that warmth takes, and its wait.
     */
    long countedNanos(Duration maxWait) {
        double longest = rule.limits().stream()
                .filter(limit -> !limit.isHeld())
                .mapToDouble(limit -> limit.capacity() * LimitUse.interval(limit))
                .max()
                .orElse(0);
        double warmest = rule.limits().stream()
                .mapToDouble(limit -> nanos(warmUp(limit)))
                .max()
                .orElse(0);
        return (long) Math.min(3 * longest + warmest + nanos(maxWait), Long.MAX_VALUE / 2.0);
    }

    private static double nanos(Duration duration) {
        return duration.toSeconds() * 1e9 + duration.toNanosPart();
    }

    private static Duration warmUp(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.warmUp();
        }
        return limit instanceof Limit.LeakyBucket bucket ? bucket.warmUp() : Duration.ZERO;
    }
}
