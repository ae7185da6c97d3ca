package dev.limiter.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.compile.CandidateRules;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.TestRules;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Definitions of yml, annotations and code are merged attribute by attribute, each with its source. */
class RuleDefinitionTests {

    private final RuleOrigin yml = RuleOrigin.property("limiter.rules.orders");
    private final RuleOrigin annotation = RuleOrigin.annotation("com.example.Orders.list()");

    @Test
    void strongerWinsAttributeByAttribute() {
        RuleDefinition merged = RuleDefinition.builder("orders", yml)
                .limit(5L, null, null, null, null)
                .set(RuleOptions.MODE, Mode.SHADOW)
                .build()
                .over(RuleDefinition.builder("other", annotation)
                        .limit(100L, "1m", Algorithm.TOKEN_BUCKET, 200L, null)
                        .set(RuleOptions.KEY, List.of("ip"))
                        .set(RuleOptions.MODE, Mode.ENFORCE)
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
    void namedLimitsOfTheWeakerStayIfNoneAreSet() {
        RuleDefinition merged = RuleDefinition.builder("orders", yml)
                .set(RuleOptions.MODE, Mode.OFF)
                .build()
                .over(named());

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

    @Test
    void ruleInJavaHasTheSettingsOfOneInYml() {
        RuleDefinition rule = RuleDefinition.named("orders")
                .paths("/api/**", "/orders")
                .methods("GET")
                .key("principal|ip")
                .maxWait(Duration.ofMillis(500))
                .mode(Mode.SHADOW)
                .ban(20, Duration.ofMinutes(1), Duration.ofMinutes(15))
                .limit(Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(200));

        assertThat(rule.value(RuleOptions.PATHS)).containsExactly("/api/**", "/orders");
        assertThat(rule.value(RuleOptions.METHODS)).containsExactly("GET");
        assertThat(rule.value(RuleOptions.KEY)).containsExactly("principal|ip");
        assertThat(rule.value(RuleOptions.MAX_WAIT)).isEqualTo("PT0.5S");
        assertThat(rule.value(RuleOptions.MODE)).isEqualTo(Mode.SHADOW);
        assertThat(rule.value(BanOptions.AFTER)).isEqualTo(20);
        assertThat(rule.limit().value(LimitOptions.LIMIT)).isEqualTo(100);
        assertThat(rule.limit().value(LimitOptions.BURST)).isEqualTo(200);
    }

    static Stream<Limit> limits() {
        Duration minute = Duration.ofMinutes(1);
        return Stream.of(
                Limit.tokenBucket(5, minute),
                Limit.tokenBucket(5, minute).burst(7),
                Limit.tokenBucket(5, minute).warmUp(Duration.ofSeconds(10)),
                Limit.leakyBucket(5, minute).burst(7),
                Limit.fixedWindow(5, minute),
                Limit.fixedWindow(5, Duration.ofMillis(1500)).alignFirst(),
                Limit.calendarWindow(5, Period.ofMonths(1), ZoneId.of("Europe/Berlin")),
                Limit.calendarWindow(5, Period.ofDays(7), ZoneId.of("UTC")),
                Limit.slidingWindowCounter(5, minute).buckets(60),
                Limit.slidingWindowLog(5, minute),
                Limit.concurrency(5));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void limitOfARuleInJavaStaysTheSame(Limit limit) {
        assertThat(TestRules.compiled(RuleDefinition.named("rule").limit(limit))
                        .rule()
                        .limits())
                .containsExactly(limit);
        assertThat(TestRules.compiled(RuleDefinition.named("rule").limit(limit.named("one"), limit.named("two")))
                        .rule()
                        .limits())
                .containsExactly(limit.named("one"), limit.named("two"));
    }

    @Test
    void tiersAndCandidateInJavaAreThoseOfTheRule() {
        Duration minute = Duration.ofMinutes(1);
        RuleDefinition rule = RuleDefinition.named("plans")
                .limit(10, "1m")
                .tierBy("header:X-Plan")
                .tier("gold", Limit.tokenBucket(100, minute))
                .unlimitedTier("partner")
                .candidate(Limit.tokenBucket(5, minute));

        RateLimitRule compiled = TestRules.compiled(rule);
        assertThat(compiled.rule().limits()).containsExactly(Limit.tokenBucket(10, minute));
        assertThat(compiled.tiers().get("gold").limits()).containsExactly(Limit.tokenBucket(100, minute));
        assertThat(TestRules.compiled(CandidateRules.of(rule)).rule().limits())
                .containsExactly(Limit.tokenBucket(5, minute));
    }

    @Test
    void mistakesInJavaAreNamed() {
        assertThatThrownBy(() -> RuleDefinition.named("or ders")).hasMessageContainingAll("or ders", "LIM-103");
        assertThatThrownBy(() -> RuleDefinition.named("orders")
                        .limit(Limit.leakyBucket(5, Duration.ofMinutes(1)).paced()))
                .hasMessageContainingAll("orders", "maxWait");
        assertThatThrownBy(() -> RuleDefinition.named("orders").limit(Limit.concurrency(1), Limit.concurrency(2)))
                .hasMessageContainingAll("orders", "its own name");
    }

    @Test
    void messagesNameTheSource() {
        RuleDefinition rule = RuleDefinition.named("orders")
                .limit(10, "1x")
                .cost("")
                .tierBy("header:X-Plan")
                .tier("gold", Limit.tokenBucket(100, Duration.ofMinutes(1)).burst(7));

        RuleDefinition moved = rule.from("the RuleSource bean partners");

        assertThat(moved.limit().get(LimitOptions.WINDOW).where())
                .isEqualTo("window of rule \"orders\" of the RuleSource bean partners");
        assertThat(moved.get(RuleOptions.COST).where())
                .isEqualTo("cost of rule \"orders\" of the RuleSource bean partners");
        assertThat(moved.value(LimitsDefinition.TIERS)
                        .get("gold")
                        .limit()
                        .get(LimitOptions.BURST)
                        .where())
                .isEqualTo("burst of tier gold of rule \"orders\" of the RuleSource bean partners");
        assertThat(moved.from("the RuleSource bean partners")).isEqualTo(moved);
    }
}
