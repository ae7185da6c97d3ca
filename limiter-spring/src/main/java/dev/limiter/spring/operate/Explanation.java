package dev.limiter.spring.operate;

import dev.limiter.spring.operate.ExplainedRule.Result;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of all rules for a request.
 *
 * @param resource the resource; null if no handler serves the request
 * @param handler the handler; null if there is none
 * @param client the value of {@code key: ip}
 * @param decided the rules that apply, in the order of decisions; the rules of one list are decided together
 * @param others the rules that do not apply
 */
public record Explanation(
        @Nullable String resource,
        @Nullable String handler,
        @Nullable String client,
        List<List<ExplainedRule>> decided,
        List<ExplainedRule> others) {

    /** Returns all rules; the ones that apply come first. */
    public List<ExplainedRule> rules() {
        return Stream.concat(decided.stream(), Stream.of(others))
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the result for the request, which is the result of the first decision that rejects it. */
    public Result result() {
        Result result = Result.PERMITTED;
        for (List<ExplainedRule> together : decided) {
            for (ExplainedRule rule : together) {
                Result own = rule.result();
                result = own != null && own.compareTo(result) > 0 ? own : result;
            }
            if (result.rejects()) {
                return result;
            }
        }
        return result;
    }
}
