package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A changed lease percentage applies to rules that are already in use. */
class RemoteRulesTests {

    /** Rules with the same limits are equal. */
    @Test
    void aRuleIsCompiledAgainForAnotherLeasePercentage() {
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(1000, Duration.ofMinutes(1)));
        AtomicInteger percent = new AtomicInteger();
        RemoteRules rules =
                new RemoteRules(asked -> percent.get(), (made, ahead) -> new RemoteRule(made, "", 30_000_000, ahead));
        RemoteRule before = rules.of(rule);
        assertThat(before.ahead).isZero();
        assertThat(rules.of(rule)).isSameAs(before);
        percent.set(5);
        assertThat(rules.of(rule).ahead).isEqualTo(50);
        percent.set(0);
        assertThat(rules.of(rule).ahead).isZero();
    }
}
