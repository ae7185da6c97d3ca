package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Meters and listeners receive each decision, and cannot disturb it. */
class DecisionReportsTests {

    private static final RateLimitContext ANN = user("ann");

    private final DecisionFixture fixture = new DecisionFixture();
    private final RateLimitRule once = compiled(rule("once").limit(1L, "1h", null, null, null));
    private final List<String> heard = new ArrayList<>();

    @Test
    void metersCountDecisionsWithoutAnEvent() {
        DecisionMeter meter = (rule, resource, outcome, charge, decision, waited) ->
                heard.add(rule.name() + " " + resource + " " + outcome.tag() + " " + decision);
        decide(2, List.of(meter));
        assertThat(heard).hasSize(2);
        assertThat(heard.get(0)).startsWith("once GET /test permitted permitted by once");
        assertThat(heard.get(1)).startsWith("once GET /test rejected rejected by once");
    }

    @Test
    void listenerIsCalledOnlyWhileItAcceptsTheOutcome() {
        decide(3, List.of(), new RateLimitListener() {
            private int calls;

            @Override
            public boolean hears(Outcome outcome) {
                return ++calls == 2;
            }

            @Override
            public void onDecision(RateLimitEvent event) {
                heard.add(event.outcome().tag());
            }
        });
        assertThat(heard).containsExactly("rejected");
    }

    @Test
    void outcomesThatAListenerDoesNotAcceptAreNotReported() {
        decide(2, List.of(), new RateLimitListener() {
            @Override
            public void onDecision(RateLimitEvent event) {
                heard.add(event.outcome().tag());
            }

            @Override
            public boolean hears(Outcome outcome) {
                return outcome == Outcome.REJECTED;
            }
        });
        assertThat(heard).containsExactly("rejected");
    }

    @Test
    void failingListenerChangesNothingForTheDecisionAndTheOthers() {
        RateLimitListener failing = event -> {
            throw new AssertionError("broken");
        };
        RateLimitListener deaf = new RateLimitListener() {
            @Override
            public boolean hears(Outcome outcome) {
                throw new AssertionError("broken");
            }

            @Override
            public void onDecision(RateLimitEvent event) {
                heard.add("deaf");
            }
        };
        DecisionMeter miscounting = (rule, resource, outcome, charge, decision, waited) -> {
            throw new AssertionError("broken");
        };
        List<Boolean> permitted = decide(
                2,
                List.of(miscounting),
                failing,
                deaf,
                event -> heard.add(event.outcome().tag()));
        assertThat(permitted).containsExactly(true, false);
        assertThat(heard).containsExactly("permitted", "rejected");
    }

    private List<Boolean> decide(int times, List<DecisionMeter> meters, RateLimitListener... listeners) {
        RuleDecider decider = fixture.decider(meters, List.of(listeners));
        List<Boolean> permitted = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            permitted.add(decider.decide(ApplicableRules.of(List.of(once)), rule -> ANN)
                    .permitted());
        }
        return permitted;
    }
}
