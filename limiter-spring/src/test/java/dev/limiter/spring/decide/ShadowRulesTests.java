package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.spring.compile.CandidateRules;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Candidates: limits that are tried next to the enforced ones. */
class ShadowRulesTests {

    private static final RateLimitContext ANN = user("ann");
    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.live");

    private final DecisionFixture fixture = new DecisionFixture();

    @Test
    void candidateIsAskedAboutWhatItsOwnRuleRejects() {
        RuleDefinition live = tried(
                rule("live").set(RuleOptions.KEY, List.of("header:user")).limit(1L, "1h", null, null, null),
                LimitDefinition.of(ORIGIN, 2L, null, null, null, null));
        RateLimitRule[] rules = {compiled(live), candidate(live)};
        for (int i = 0; i < 3; i++) {
            fixture.decide(ANN, rules);
        }
        assertThat(fixture.reported())
                .containsExactly(
                        "live permitted",
                        "live-candidate permitted",
                        "live rejected",
                        "live-candidate permitted",
                        "live rejected",
                        "live-candidate shadow-rejected");
    }

    @Test
    void candidateIsNotAskedAboutWhatAnotherRuleRejects() {
        RuleDefinition live = tried(
                rule("live").set(RuleOptions.KEY, List.of("header:user")).limit(5L, "1h", null, null, null),
                LimitDefinition.of(ORIGIN, 9L, null, null, null, null));
        RateLimitRule other = compiled(rule("other").limit(1L, "1h", null, null, null));
        RateLimitRule candidate = candidate(live);
        fixture.decide(ANN, other, compiled(live), candidate);
        fixture.reported();
        fixture.decide(ANN, other, compiled(live), candidate);
        assertThat(fixture.reported()).containsExactly("other rejected");
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(8);
    }

    @Test
    void candidateHoldsNoPermitsForARejectedRequest() {
        RuleDefinition live = tried(
                rule("live")
                        .set(RuleOptions.KEY, List.of("header:user"))
                        .limit(1L, null, Algorithm.CONCURRENCY, null, null),
                LimitDefinition.of(ORIGIN, 2L, null, null, null, null));
        RateLimitRule candidate = candidate(live);
        Verdict permitted = fixture.decide(ANN, compiled(live), candidate);
        assertThat(permitted.permitted()).isTrue();
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(1);

        assertThat(fixture.decide(ANN, compiled(live), candidate).permitted()).isFalse();
        assertThat(fixture.reported()).endsWith("live rejected", "live-candidate permitted");
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(1);
        assertThat(fixture.holders.permits("live-candidate")).isEqualTo(1);

        permitted.close();
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(2);
        assertThat(fixture.holders.permits("live-candidate")).isZero();
    }

    @Test
    void candidateReturnsWhatARejectedRequestTookIfItsOutcomeIsUnknown() {
        RuleDefinition live = tried(
                rule("live")
                        .set(RuleOptions.KEY, List.of("header:user"))
                        .limit(1L, "1h", null, null, null)
                        .set(RuleOptions.CHARGE_IF, "#response.status == 401"),
                LimitDefinition.of(ORIGIN, 5L, null, null, null, null));
        RateLimitRule candidate = candidate(live);
        fixture.decide(ANN, compiled(live), candidate);
        fixture.decide(ANN, compiled(live), candidate);
        assertThat(fixture.reported()).endsWith("live rejected", "live-candidate permitted");
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(4);
        fixture.pass(Duration.ofHours(1));
        assertThat(fixture.remaining(candidate, ANN)).isEqualTo(5);
    }

    private static RuleDefinition tried(RuleDefinition.Builder live, LimitDefinition candidate) {
        return live.set(LimitsDefinition.CANDIDATE, new LimitsDefinition(candidate, null))
                .build();
    }

    private static RateLimitRule candidate(RuleDefinition live) {
        return compiled(Objects.requireNonNull(CandidateRules.of(live)));
    }
}
