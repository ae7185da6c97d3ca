package dev.limiter.spring.operate;

import dev.limiter.spring.compiled.RateLimitRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The predicted decisions of all rules for a request.
 *
 * @param resource what would be used; null if nothing serves the request
 * @param handler what would serve it; null if nothing does
 * @param client as {@code key: ip} knows it
 * @param rules in the order in which they are decided, then those that do not apply
 */
public record Explanation(
        @Nullable String resource,
        @Nullable String handler,
        @Nullable String client,
        List<OfRule> rules) {

    /**
     * The prediction of one rule, and why it applies or not.
     *
     * @param because why it applies, or why not
     * @param prediction null if it does not apply
     */
    public record OfRule(
            RateLimitRule rule, String because, @Nullable PredictedDecision prediction) {}

    /** The answer to the client: the first refusal, else whether it has to wait. */
    public PredictedDecision.Result result() {
        PredictedDecision.Result result = PredictedDecision.Result.PERMITTED;
        for (OfRule each : rules) {
            PredictedDecision.Result next = each.prediction() == null
                    ? PredictedDecision.Result.PERMITTED
                    : each.prediction().result();
            if (next.refuses()) {
                return next;
            }
            result = next == PredictedDecision.Result.WAITS ? next : result;
        }
        return result;
    }
}
