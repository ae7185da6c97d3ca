package dev.limiter.spring.operate;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiters;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.rule.Mode;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The decision that a rule would make on a request now. Immutable.
 *
 * @param detail the exemption or the failure; null if there is none
 * @param charge the charge and its key; null if the request would not be charged
 * @param standing the standing of the limits of that key; null if there is no {@code charge}
 * @param ban the standing of the key with {@link Ban#bans()}; null if the rule bans no keys
 */
public record PredictedDecision(
        Result result,
        @Nullable String detail,
        @Nullable Charge charge,
        @Nullable Decision standing,
        @Nullable Decision ban) {

    /** The fate of the request, as far as this rule goes. */
    public enum Result {
        PERMITTED,
        /** Let through when it is its turn. */
        WAITS,
        REJECTED,
        BANNED,
        DENIED,
        /** Let through by a rule that only watches, and would refuse it. */
        SHADOW_REJECTED,
        SKIPPED,
        /** The rule is off. */
        OFF,
        /** The rule cannot be evaluated: the answer is an error, or what it needs is not known before. */
        UNDECIDED;

        /** The refusals, in the order in which rules decided together come to them. */
        static final List<Result> REFUSALS = List.of(DENIED, UNDECIDED, BANNED, REJECTED);

        boolean refuses() {
            return REFUSALS.contains(this);
        }

        private Result in(Mode mode) {
            if (mode == Mode.ENFORCE) {
                return this;
            }
            return this == UNDECIDED || this == WAITS ? PERMITTED : refuses() ? SHADOW_REJECTED : this;
        }
    }

    /** Evaluates the rule for a request, and looks at the states; charges nothing. */
    public static PredictedDecision of(RateLimitRule rule, RateLimitContext context, RateLimiters limiters) {
        if (rule.mode() == Mode.OFF) {
            return new PredictedDecision(Result.OFF, null, null, null, null);
        }
        try {
            return evaluated(rule, context, limiters);
        } catch (RuntimeException failure) {
            return without(rule, Result.UNDECIDED, failure.getMessage());
        }
    }

    private static PredictedDecision evaluated(RateLimitRule rule, RateLimitContext context, RateLimiters limiters) {
        if (rule.denies(context)) {
            return without(rule, Result.DENIED, "deny");
        }
        String exemption = rule.exemption(context);
        if (exemption != null) {
            return without(rule, Result.SKIPPED, exemption);
        }
        Charge charge = rule.predictedCharge(context);
        if (charge == null) {
            return without(rule, Result.SKIPPED, "a tier without a limit");
        }
        Ban ban = rule.banOf(charge);
        Decision banned = ban == null ? null : limiters.peek(ban.bans(), charge.key());
        Decision standing = limiters.peek(charge.rule(), charge.key());
        Result result = banned != null && Ban.isInForce(banned)
                ? Result.BANNED
                : isEnough(charge, standing) ? Result.PERMITTED : later(charge, standing, limiters);
        boolean watching = !rule.enforces(charge.key());
        return new PredictedDecision(
                result.in(watching ? Mode.SHADOW : rule.mode()),
                watching ? "enforce: not for this key" : detail(result, charge, standing),
                charge,
                standing,
                banned);
    }

    private static @Nullable String detail(Result result, Charge charge, Decision standing) {
        boolean comes = standing.retryAfter()
                .map(turn -> turn.compareTo(charge.maxWait()) <= 0)
                .orElse(true);
        if (result == Result.REJECTED && comes && !charge.maxWait().isZero()) {
            return "max-waiting: as many wait as may";
        }
        return result == Result.WAITS && standing.retryAfter().isEmpty()
                ? "until a permit is given back, for max-wait at most"
                : null;
    }

    private static PredictedDecision without(RateLimitRule rule, Result result, @Nullable String detail) {
        return new PredictedDecision(result.in(rule.mode()), detail, null, null, null);
    }

    private static boolean isEnough(Charge charge, Decision standing) {
        return IntStream.range(0, standing.limits().size()).allMatch(i -> isEnough(charge, standing, i));
    }

    private static boolean isEnough(Charge charge, Decision standing, int limit) {
        LimitStatus status = standing.limits().get(limit);
        return isEnough(
                status, charge.permits(limit), charge.kept(status.limit().capacity()));
    }

    /**
     * Whether the limit at a position would let through what the request costs, beside what it has to leave for others.
     */
    public boolean permits(int limit) {
        return charge == null || standing == null || isEnough(charge, standing, limit);
    }

    /** Whether the standing tells when the limit at a position lets the request through: it is that of one permit. */
    public boolean tellsWhen(int limit) {
        return charge == null || charge.permits(limit) == 1 && charge.keptPercent() == 0;
    }

    /**
     * The result for a request refused now. The release of a concurrency permit has no known time: it counts as
     * possible at once.
     */
    private static Result later(Charge charge, Decision standing, RateLimiters limiters) {
        Duration turn = standing.retryAfter().orElse(Duration.ZERO);
        boolean comes = turn.compareTo(charge.maxWait()) <= 0 && !isNever(charge);
        return comes && limiters.mayWait(charge) ? Result.WAITS : Result.REJECTED;
    }

    private static boolean isNever(Charge charge) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .anyMatch(i -> charge.permits(i) > limits.get(i).capacity());
    }

    /** The remaining permits tell it for several; for one, and where all wait for a turn, whether it is permitted. */
    private static boolean isEnough(LimitStatus limit, long permits, long kept) {
        if (permits == 0) {
            return true;
        }
        if (limit.limit().isSpaced()) {
            return limit.permitted() && permits <= limit.limit().capacity();
        }
        return permits == 1 && kept == 0 ? limit.permitted() : limit.remaining() - kept >= permits;
    }
}
