package dev.limiter.spring.compile;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.inForceBeside;
import static dev.limiter.spring.compile.TestRules.keyed;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import org.junit.jupiter.api.Test;

/** In responses, a limit has the name of its rule, followed by its own name if it has one. */
class PolicyNameTests {

    @Test
    void ruleMayNotHaveTheNameThatALimitOfAnotherHas() {
        assertThatThrownBy(() -> inForce(withBurst("orders"), keyed("orders-burst", "ip")))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContainingAll(
                        "limiter.rules.orders-burst is \"orders-burst\"",
                        "one of limiter.rules.orders would have this name",
                        "LIM-104");
    }

    @Test
    void noMoreMayThatOfTheDefaultLimit() {
        assertThatThrownBy(() -> inForceBeside(withBurst("default"), keyed("default-burst", "ip")))
                .hasMessageContainingAll("default-burst", "LIM-104");
    }

    @Test
    void namesThatOnlyBeginAlikeAreFine() {
        assertThatNoException()
                .isThrownBy(() -> inForce(
                        withBurst("orders"), keyed("orders-bursts", "ip"), keyed("burst", "ip"), withBurst("other")));
    }

    private static RuleDefinition.Builder withBurst(String name) {
        RuleOrigin origin = RuleOrigin.property("limiter.rules." + name);
        return rule(name).namedLimit("burst", LimitDefinition.of(origin, 5L, "1s", null, null, null));
    }
}
