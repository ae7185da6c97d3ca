package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
                    .isEqualTo(FieldMembersTests.text(decision.limits()).policies());
        }
    }

    @Test
    void listsAllLimitsOfARule() {
        Rule rule = Rule.of(
                "orders",
                Limit.tokenBucket(10, Duration.ofSeconds(1)).named("burst"),
                Limit.concurrency(5).named("open"));
        PolicyText text = PolicyText.of(rule);

        Decision decision = limiters.tryAcquire(rule, "alice");

        assertThat(text.policies())
                .isEqualTo("\"orders-burst\";q=10;w=1, \"orders-open\";q=5;qu=\"concurrent-requests\"");
        assertThat(available(text, decision)).isEqualTo("\"orders-burst\";r=9;t=1, \"orders-open\";r=4");
    }

    private static String available(PolicyText text, Decision decision) {
        StringBuilder field = new StringBuilder();
        text.appendAvailable(
                field, FieldNames.DRAFT, decision.limits(), decision.rule().charge());
        return field.toString();
    }

    @Test
    void tellsWhatEachLimitCost() {
        Rule rule = Rule.of(
                "uploads",
                Limit.fixedWindow(100, MINUTE).named("requests"),
                Limit.concurrency(5000).named("bytes"));
        Charge charge = rule.charge("alice").cost("bytes", 2000);
        StringBuilder field = new StringBuilder();

        PolicyText.of(rule)
                .appendAvailable(
                        field, FieldNames.NEXT, limiters.tryAcquire(charge).limits(), charge);

        assertThat(field.toString())
                .startsWith("\"uploads-requests\";a=99;w=")
                .endsWith(";c=1, \"uploads-bytes\";a=3000;c=2000");
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
