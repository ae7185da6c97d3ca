package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AudienceTests {

    private static final RateLimitContext ANN = user("ann");

    private final DecisionFixture fixture = new DecisionFixture();
    private final RateLimitRule once = compiled(rule("once").limit(1L, "1h", null, null, null));
    private final List<String> heard = new ArrayList<>();

    @Test
    void talliesAreMadeOnceAndCountInsteadOfEvents() {
        decide(3, new CountingListener() {
            @Override
            public Tally tally(String rule, String resource, Outcome outcome) {
                heard.add("tally " + rule + " " + resource + " " + outcome.tag());
                return (by, charge, part, waited) -> heard.add(by.name() + " " + part);
            }

            @Override
            public void onDecision(RateLimitEvent event) {
                heard.add("event");
            }
        });
        assertThat(heard).hasSize(5);
        assertThat(heard.get(0)).isEqualTo("tally once GET /test permitted");
        assertThat(heard.get(1)).startsWith("once permitted by once");
        assertThat(heard.get(2)).isEqualTo("tally once GET /test rejected");
        assertThat(heard.subList(3, 5))
                .allSatisfy(refusal -> assertThat(refusal).startsWith("once refused by once"));
    }

    @Test
    void occasionalListenerIsToldOnlyWhileItListens() {
        decide(3, new OccasionalListener() {
            private int asked;

            @Override
            public boolean isListening() {
                return ++asked == 2;
            }

            @Override
            public void onDecision(RateLimitEvent event) {
                heard.add(event.outcome().tag());
            }
        });
        assertThat(heard).containsExactly("rejected");
    }

    @Test
    void outcomesThatAListenerDoesNotHearAreNotTold() {
        decide(2, new RateLimitListener() {
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
        CountingListener miscounting = new CountingListener() {
            @Override
            public Tally tally(String rule, String resource, Outcome outcome) {
                return (by, charge, part, waited) -> {
                    throw new AssertionError("broken");
                };
            }
        };
        List<Boolean> permitted = decide(
                2, failing, miscounting, event -> heard.add(event.outcome().tag()));
        assertThat(permitted).containsExactly(true, false);
        assertThat(heard).containsExactly("permitted", "rejected");
    }

    private List<Boolean> decide(int times, RateLimitListener... listeners) {
        RuleDecider decider = fixture.decider(List.of(listeners));
        List<Boolean> permitted = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            permitted.add(decider.decide(ApplicableRules.of(List.of(once)), rule -> ANN)
                    .permitted());
        }
        return permitted;
    }
}
