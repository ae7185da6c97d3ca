package dev.limiter.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuleDefinitionTests {

    private final RuleOrigin yml = RuleOrigin.property("limiter.rules.orders");
    private final RuleOrigin annotation = RuleOrigin.annotation("com.example.Orders.list()");

    @Test
    void strongerWinsAttributeByAttribute() {
        RuleDefinition merged = RuleDefinition.builder("orders", yml)
                .limit(5L, null, null, null, null)
                .mode(Mode.SHADOW)
                .build()
                .over(RuleDefinition.builder("other", annotation)
                        .limit(100L, "1m", Algorithm.TOKEN_BUCKET, 200L, null)
                        .key(List.of("ip"))
                        .mode(Mode.ENFORCE)
                        .build());

        assertThat(merged.name()).isEqualTo("orders");
        assertThat(merged.limit().get(LimitOptions.LIMIT)).isEqualTo(new Setting<>(5L, "limiter.rules.orders.limit"));
        assertThat(merged.limit().get(LimitOptions.WINDOW))
                .isEqualTo(new Setting<>("1m", "window of @RateLimiter on com.example.Orders.list()"));
        assertThat(merged.limit().get(LimitOptions.BURST).value()).isEqualTo(200);
        assertThat(merged.get(RuleOptions.KEY).value()).containsExactly("ip");
        assertThat(merged.get(RuleOptions.MODE).value()).isEqualTo(Mode.SHADOW);
    }

    @Test
    void anotherAlgorithmLeavesTheOptionsOfTheFirstBehind() {
        RuleDefinition merged = RuleDefinition.builder("orders", yml)
                .limit(null, null, Algorithm.FIXED_WINDOW, null, null)
                .build()
                .over(inline(200L));

        assertThat(merged.limit().get(LimitOptions.ALGORITHM).value()).isEqualTo(Algorithm.FIXED_WINDOW);
        assertThat(merged.limit().get(LimitOptions.LIMIT).value()).isEqualTo(100);
        assertThat(merged.limit().get(LimitOptions.BURST)).isNull();
    }

    @Test
    void namedLimitsReplaceAnInlineOne() {
        RuleDefinition merged = named().over(inline(null));

        assertThat(merged.limits()).containsOnlyKeys("hourly");
        assertThat(merged.limit().isEmpty()).isTrue();
    }

    @Test
    void inlineLimitReplacesNamedOnes() {
        RuleDefinition merged = inline(null).over(named());

        assertThat(merged.limits()).isNull();
        assertThat(merged.limit().get(LimitOptions.LIMIT).value()).isEqualTo(100);
    }

    @Test
    void namedLimitsOfTheWeakerStayWhereNothingIsSaid() {
        RuleDefinition merged =
                RuleDefinition.builder("orders", yml).mode(Mode.OFF).build().over(named());

        assertThat(merged.limits()).isEqualTo(named().limits());
    }

    private RuleDefinition inline(Long burst) {
        return RuleDefinition.builder("orders", annotation)
                .limit(100L, "1m", Algorithm.TOKEN_BUCKET, burst, null)
                .build();
    }

    private RuleDefinition named() {
        return RuleDefinition.builder("orders", yml)
                .namedLimit("hourly", LimitDefinition.of(yml, 1000L, "1h", null, null, null))
                .build();
    }

    @Test
    void modesGoToTheWeaker() {
        Map.of(Mode.ENFORCE, Mode.SHADOW, Mode.SHADOW, Mode.OFF).forEach((strong, weak) -> {
            assertThat(strong.weaker(weak)).isEqualTo(weak);
            assertThat(weak.weaker(strong)).isEqualTo(weak);
            assertThat(weak.weaker(weak)).isEqualTo(weak);
        });
    }
}
