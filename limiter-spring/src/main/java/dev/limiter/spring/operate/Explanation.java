package dev.limiter.spring.operate;

import dev.limiter.spring.compiled.RateLimitRule;
import java.util.List;
import java.util.stream.Stream;
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
     * @param point where it is decided; null if it does not apply
     */
    public record OfRule(
            RateLimitRule rule,
            String because,
            @Nullable PredictedDecision prediction,
            @Nullable Point point) {}

    /**
     * The answer to the client: the first refusal, else whether it has to wait. Among rules decided together, a denial
     * comes first, then a failed evaluation, then a ban.
     */
    public PredictedDecision.Result result() {
        PredictedDecision.Result result = PredictedDecision.Result.PERMITTED;
        for (Point point : Point.values()) {
            List<PredictedDecision.Result> results = rules.stream()
                    .filter(each -> each.point() == point)
                    .flatMap(each -> Stream.ofNullable(each.prediction()))
                    .map(PredictedDecision::result)
                    .toList();
            for (PredictedDecision.Result refusal : PredictedDecision.Result.REFUSALS) {
                if (results.contains(refusal)) {
                    return refusal;
                }
            }
            result = results.contains(PredictedDecision.Result.WAITS) ? PredictedDecision.Result.WAITS : result;
        }
        return result;
    }

    /** Where rules are decided together, one after the other. */
    public enum Point {
        ARRIVAL,
        ENDPOINT,
        METHOD
    }
}
