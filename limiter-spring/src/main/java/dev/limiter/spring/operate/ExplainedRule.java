package dev.limiter.spring.operate;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.rule.Mode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rule in the explanation of a request: why it applies or not, and its current decision. Immutable.
 *
 * @param because the reason why it applies or not
 * @param result null if it does not apply
 * @param detail the exemption or the failure; null if there is none
 * @param key null if the request would not be charged
 * @param charge null if the request would not be charged
 * @param standing the decision on the charge, without taking permits; null without a charge
 * @param queueFull true if the request could wait, but the queue is full
 */
public record ExplainedRule(
        RateLimitRule rule,
        String because,
        @Nullable Result result,
        @Nullable String detail,
        @Nullable ResolvedKey key,
        @Nullable Charge charge,
        @Nullable Decision standing,
        boolean queueFull) {

    /** The result of one rule. If rules are decided together, the last of their results in this order applies. */
    public enum Result {
        SKIPPED,
        /** Permitted, because the rule that would reject it is in shadow mode. */
        SHADOW_REJECTED,
        PERMITTED,
        /** Permitted after a wait, if permits become free in time. */
        WAITS,
        REJECTED,
        BANNED,
        /** An expression fails, or needs a method call. */
        UNDECIDED,
        DENIED;

        boolean rejects() {
            return compareTo(REJECTED) >= 0;
        }

        private Result when(boolean enforced) {
            if (enforced || this == SKIPPED) {
                return this;
            }
            return rejects() && this != UNDECIDED ? SHADOW_REJECTED : PERMITTED;
        }
    }

    /** Returns the result of a rule that does not apply. */
    public static ExplainedRule without(RateLimitRule rule, String because) {
        return new ExplainedRule(rule, because, null, null, null, null, null, false);
    }

    /** Returns the result of a rule that applies. Evaluates it like a request, without charging it. */
    public static ExplainedRule of(
            RateLimitRule rule, String because, RateLimitContext context, RateLimiters limiters) {
        try {
            return decided(rule, because, context, limiters);
        } catch (RuntimeException failure) {
            return uncharged(rule, because, Result.UNDECIDED, failure.getMessage());
        }
    }

    private static ExplainedRule decided(
            RateLimitRule rule, String because, RateLimitContext context, RateLimiters limiters) {
        if (rule.denies(context)) {
            return uncharged(rule, because, Result.DENIED, "deny");
        }
        String exemption = rule.exemption(context);
        if (exemption != null) {
            return uncharged(rule, because, Result.SKIPPED, exemption);
        }
        ResolvedKey key = rule.key(context);
        Charge charge = rule.predictedCharge(key, context);
        if (charge == null) {
            return uncharged(rule, because, Result.SKIPPED, "a tier without a limit");
        }
        Decision standing = limiters.storage().peek(List.of(charge));
        boolean enforced = rule.enforces(key);
        Result result = result(rule.banOf(key), charge, standing, limiters);
        return new ExplainedRule(
                rule,
                because,
                result.when(enforced && rule.mode() == Mode.ENFORCE),
                enforced ? null : "rollout: not for this key",
                key,
                charge,
                standing,
                result == Result.REJECTED && standing.permitted());
    }

    private static Result result(@Nullable Ban ban, Charge charge, Decision standing, RateLimiters limiters) {
        if (ban != null && Ban.isInForce(limiters.peek(ban.bans(), charge.key()))) {
            return Result.BANNED;
        }
        if (standing.permitted() && standing.delay().isZero()) {
            return Result.PERMITTED;
        }
        Duration wait = standing.retryAfter().orElse(Duration.ZERO);
        boolean inTime = standing.permitted()
                || limiters.queues(charge) && !standing.never() && wait.compareTo(charge.maxWait()) <= 0;
        return inTime && limiters.mayWait(charge) ? Result.WAITS : Result.REJECTED;
    }

    private static ExplainedRule uncharged(RateLimitRule rule, String because, Result result, @Nullable String detail) {
        return new ExplainedRule(
                rule, because, result.when(rule.mode() == Mode.ENFORCE), detail, null, null, null, false);
    }
}
