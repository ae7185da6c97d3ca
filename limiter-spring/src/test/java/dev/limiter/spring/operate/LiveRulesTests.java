package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.compile.Floors;
import dev.limiter.spring.compile.Floors.Floor;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Changes of rules that are configured otherwise afterwards. */
class LiveRulesTests {

    private static final String ORDERS = "orders";

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final Floors floors =
            new Floors(Map.of("strict", new Floor("limiter.floors.strict", 6, Duration.ofHours(1))));
    private final LiveRules rules = TestRules.live(ChangeStore.NONE, now::get, floors);

    /** A rule with one limit if no names are given. */
    private void configure(String... named) {
        RuleDefinition.Builder orders = TestRules.rule(ORDERS).key(List.of("header:x-api-key"));
        if (named.length == 0) {
            orders.limit(3L, "1h", null, null, null);
        }
        Stream.of(named)
                .forEach(name -> orders.namedLimit(
                        name,
                        LimitDefinition.of(
                                RuleOrigin.property("limiter.rules.orders.limits." + name),
                                3L,
                                "1h",
                                null,
                                null,
                                null)));
        configureAll(orders, strict("1h"));
    }

    private static RuleDefinition.Builder strict(String window) {
        return TestRules.rule("strict")
                .paths(List.of("/strict"))
                .key(List.of("header:x-api-key"))
                .limit(3L, window, null, null, null);
    }

    private void configureAll(RuleDefinition.Builder... definitions) {
        rules.configure(
                Stream.of(definitions).map(RuleDefinition.Builder::build).toList(),
                null,
                new Setting<>(List.of(), "limiter.web.exclude"));
    }

    private KeyOverride override(String key, @Nullable String named, long limit) {
        return new KeyOverride(key, named, limit, rules.now().plus(Duration.ofHours(2)), null);
    }

    private void make(String rule, KeyOverride override) {
        rules.override(rule, List.of(override), null);
    }

    private RateLimitRule rule(String name) {
        return rules.named(name).get(0);
    }

    @Test
    void ruleOfASourceIsListedWhateverItsName() {
        configureAll(
                RuleDefinition.builder(ORDERS, RuleOrigin.source("a change")).limit(3L, "1h", null, null, null));

        assertThat(rules.all()).extracting(RateLimitRule::name).containsExactly(ORDERS);
    }

    @Test
    void changeOfNoRuleIsNotListed() {
        configure();

        rules.change("Orders.list", new RuleChange(null, 3L, "1h", null, null, null), null);

        assertThat(rules.named("Orders.list")).isEmpty();
        assertThat(rules.changesOfNoRule().names()).containsExactly("orders.list");
    }

    @Test
    void overrideThatDoesNotFitLeavesTheRestOfTheChangesInForce() {
        KeyOverride hourly = override("acme", "hourly", 50);
        KeyOverride burst = override("acme", "burst", 20);
        configure("burst", "hourly");
        make(ORDERS, hourly);
        make(ORDERS, burst);
        rules.change(ORDERS, new RuleChange(null, null, null, null, Mode.SHADOW, null), null);

        configure("hourly");

        assertThat(rule(ORDERS).overrides()).containsExactly(hourly);
        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.SHADOW);
        assertThat(rules.overrides(ORDERS)).containsExactly(hourly, burst);
        assertThat(rules.problem())
                .hasValueSatisfying(problem -> assertThat(problem).startsWith("orders: "));
    }

    @Test
    void overrideThatDoesNotFitHindersNoOtherChange() {
        configure();
        make(ORDERS, override("acme", null, 50));
        configure("burst", "hourly");

        rules.change(ORDERS, new RuleChange(null, null, null, null, Mode.SHADOW, null), null);
        rules.change(ORDERS, new RuleChange("burst", 4L, null, null, null, null), null);
        KeyOverride fitting = override("acme", "burst", 20);
        make(ORDERS, fitting);

        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.SHADOW);
        assertThat(rule(ORDERS).rule().limits().get(0).limit()).isEqualTo(4);
        assertThat(rule(ORDERS).overrides()).containsExactly(fitting);
        assertThat(rules.problem()).isPresent();
        for (KeyOverride another : List.of(override("acme", null, 60), override("other", null, 50))) {
            assertThatThrownBy(() -> make(ORDERS, another))
                    .isInstanceOf(LimiterConfigurationException.class)
                    .hasMessageContaining("Write which: burst, hourly");
        }
        assertThat(rules.version()).isEqualTo(4);
    }

    @Test
    void settingsThatDoNotFitHinderThoseOfTheirRuleAlone() {
        configure();
        rules.change(ORDERS, new RuleChange(null, 4L, null, null, null, null), null);
        configure("burst");

        KeyOverride fitting = override("acme", "burst", 20);
        make(ORDERS, fitting);
        rules.change("strict", new RuleChange(null, 2L, null, null, null, null), null);

        assertThat(rule(ORDERS).overrides()).containsExactly(fitting);
        assertThat(rule("strict").rule().limits().get(0).limit()).isEqualTo(2);
        assertThatThrownBy(() -> rules.change(ORDERS, new RuleChange(null, null, null, null, Mode.SHADOW, null), null))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("The rule has named limits");
    }

    @Test
    void ruleAsConfiguredKeepsTheOverridesThatFit() {
        configure();
        rules.change(ORDERS, new RuleChange(null, 4L, null, null, null, null), null);
        make(ORDERS, override("acme", null, 50));
        configure("burst");
        KeyOverride fitting = override("acme", "burst", 20);
        make(ORDERS, fitting);

        rules.restore(ORDERS, null);

        assertThat(rules.overrides(ORDERS)).containsExactly(fitting);
        assertThat(rule(ORDERS).overrides()).containsExactly(fitting);
        assertThat(rules.problem()).isEmpty();
        assertThat(rules.isChanged(ORDERS)).isFalse();
        rules.change(ORDERS, new RuleChange(null, null, null, null, Mode.SHADOW, null), null);
    }

    @Test
    void overrideThatFitsTheChangedRuleAloneEndsWithTheChange() {
        configure();
        rules.change("strict", new RuleChange(null, null, "2h", null, null, null), null);
        configureAll(strict("30m"));
        make("strict", override("acme", null, 6));

        rules.restore("strict", null);

        assertThat(rules.overrides("strict")).isEmpty();
        assertThat(rules.problem()).isEmpty();
    }

    @Test
    void changeIsRefusedThatAnOverrideInForceDoesNotFit() {
        configure();
        KeyOverride inForce = override("acme", null, 6);
        make("strict", inForce);

        assertThatThrownBy(() -> rules.change("strict", new RuleChange(null, null, "50m", null, null, null), null))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("an override");

        assertThat(rule("strict").overrides()).containsExactly(inForce);
        assertThat(rules.version()).isEqualTo(1);
    }

    @Test
    void overrideThatHasEndedIsNoProblem() {
        configure();
        make(ORDERS, override("acme", null, 50));
        configure("burst");
        assertThat(rules.problem()).isPresent();

        now.addAndGet(TimeUnit.HOURS.toNanos(3));

        assertThat(rules.problem()).isEmpty();
        assertThat(rules.overrides(ORDERS)).isEmpty();
    }

    @Test
    void changeBesideAnOverrideThatDoesNotFitIsUndone() {
        configure();
        make(ORDERS, override("acme", null, 50));
        configure("burst");
        rules.change(ORDERS, new RuleChange(null, null, null, null, Mode.SHADOW, null), null);

        rules.undo(null);

        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.ENFORCE);
        assertThat(rules.overrides(ORDERS)).hasSize(1);
    }
}
