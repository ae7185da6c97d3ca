package dev.limiter.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings of tiers, candidates and changes are merged over the limits of the rule. */
class LimitsDefinitionTests {

    private static final RuleOrigin RULE = RuleOrigin.property("limiter.rules.orders");
    private static final RuleOrigin GOLD = RuleOrigin.property("limiter.rules.orders.tiers.gold");
    private static final LimitDefinition NOTHING = limit(null);

    private static final RuleDefinition ONE = RuleDefinition.builder("orders", RULE)
            .limit(10L, "1s", null, null, null)
            .build();
    private static final RuleDefinition NAMED = RuleDefinition.builder("orders", RULE)
            .namedLimit("burst", LimitDefinition.of(RULE, 10L, "1s", null, null, null))
            .namedLimit("per-hour", LimitDefinition.of(RULE, 100L, "1h", null, null, null))
            .build();

    private static LimitDefinition limit(@Nullable Long limit) {
        return LimitDefinition.of(GOLD, limit, null, null, null, null);
    }

    @Test
    void onlyLimitIsCompleted() {
        RuleDefinition merged = new LimitsDefinition(limit(20L), null).over(ONE, MessageCode.TIERS);

        assertThat(merged.limit().value(LimitOptions.LIMIT)).isEqualTo(20);
        assertThat(merged.limit().value(LimitOptions.WINDOW)).isEqualTo("1s");
        assertThat(merged.limits()).isNull();
    }

    @Test
    void namedLimitsAreCompletedInAnySpellingAndTheOthersStay() {
        RuleDefinition merged =
                new LimitsDefinition(NOTHING, Map.of("perHour", limit(200L))).over(NAMED, MessageCode.TIERS);

        assertThat(merged.limitsByName()).containsOnlyKeys("burst", "per-hour");
        assertThat(merged.limitsByName().get("per-hour").value(LimitOptions.LIMIT))
                .isEqualTo(200);
        assertThat(merged.limitsByName().get("per-hour").value(LimitOptions.WINDOW))
                .isEqualTo("1h");
        assertThat(merged.limitsByName().get("burst").value(LimitOptions.LIMIT)).isEqualTo(10);
    }

    static Stream<Arguments> misfits() {
        return Stream.of(
                arguments(new LimitsDefinition(NOTHING, null), ONE, "Set the options that differ"),
                arguments(new LimitsDefinition(NOTHING, null, true), ONE, "Set the options that differ"),
                arguments(new LimitsDefinition(NOTHING, Map.of("a", limit(5L))), ONE, "only one limit, without a name"),
                arguments(new LimitsDefinition(limit(5L), null), NAMED, "Write which: burst, per-hour."),
                arguments(
                        new LimitsDefinition(NOTHING, Map.of("a", limit(5L))),
                        NAMED,
                        "no limit of this name. Its limits: burst, per-hour."),
                arguments(
                        new LimitsDefinition(limit(5L).with(LimitOptions.COST, "2", GOLD), null),
                        ONE,
                        "A cost is not allowed here"));
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void settingsThatDoNotFitAreRejected(LimitsDefinition settings, RuleDefinition rule, String reason) {
        assertThatThrownBy(() -> settings.over(rule, MessageCode.TIERS))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContainingAll("limiter.rules.orders.tiers.gold", reason, "[LIM-308]");
    }
}
