package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fields of a decision and of its limits are the same. */
class PolicyTextTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RateLimiters limiters = RateLimiters.builder().build();

    static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(2, MINUTE),
                Limit.fixedWindow(2, MINUTE),
                Limit.slidingWindowLog(2, MINUTE),
                Limit.concurrency(2));
    }

    /** Permitted twice, then rejected: the fields of the decision are the fields of its only limit. */
    @ParameterizedTest
    @MethodSource("limits")
    void tellsTheSameOfADecisionAsOfItsLimit(Limit limit) {
        Rule rule = Rule.of("GET /a\"b", limit);
        PolicyText text = PolicyText.of(rule);
        for (int i = 0; i < 3; i++) {
            Decision decision = limiters.tryAcquire(rule, "alice");

            assertThat(decision.permitted()).isEqualTo(i < 2);
            StringBuilder ofDecision = new StringBuilder();
            text.appendAvailable(ofDecision, FieldNames.DRAFT, decision, rule.charge("alice"));
            assertThat(ofDecision.toString())
                    .isEqualTo(available(text, decision))
                    .startsWith("\"GET /a\\\"b\";r=" + Math.max(1 - i, 0));
            assertThat(text.policies())
                    .isEqualTo(StructuredFieldsTests.text(decision.limits()).policies());
        }
    }

    private static String available(PolicyText text, Decision decision) {
        StringBuilder field = new StringBuilder();
        text.appendAvailable(
                field, FieldNames.DRAFT, decision.limits(), decision.rule().charge());
        return field.toString();
    }

    @Test
    void isRememberedForEachRule() {
        PolicyTexts texts = new PolicyTexts();
        Rule rule = Rule.of("orders", Limit.tokenBucket(10, MINUTE));
        Rule changed = Rule.of("orders", Limit.tokenBucket(20, MINUTE));

        assertThat(texts.of(rule)).isSameAs(texts.of(Rule.of("orders", Limit.tokenBucket(10, MINUTE))));
        assertThat(texts.of(changed).policies()).isEqualTo("\"orders\";q=20;w=60");
    }
}
