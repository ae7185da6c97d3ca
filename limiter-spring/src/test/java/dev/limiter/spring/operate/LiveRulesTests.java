package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.Caps.Cap;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
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

/** Changes of rules, including rules that are reconfigured afterwards. */
class LiveRulesTests {

    private static final String ORDERS = "orders";
    private static final Map<String, String> SHADOW = Map.of("mode", "shadow");

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final Caps caps = new Caps(Map.of("strict", new Cap("limiter.caps.strict", 6, Duration.ofHours(1))));
    private final SharedStore store = new SharedStore();
    private final LiveRules rules = TestRules.live(store, now::get, caps);

    /** A store that other instances also write to. */
    private static final class SharedStore implements ChangeStore {

        private @Nullable Changes written;

        @Override
        public @Nullable Changes load(Changes known) {
            Changes other = written;
            written = null;
            return other;
        }

        @Override
        public boolean save(Changes next) {
            return written == null;
        }

        @Override
        public String place() {
            return "a test";
        }
    }

    /** Returns a rule, with one limit if there are no names. */
    private void configure(String... named) {
        RuleDefinition.Builder orders = TestRules.rule(ORDERS).set(RuleOptions.KEY, List.of("header:x-api-key"));
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
                .set(RuleOptions.PATHS, List.of("/strict"))
                .set(RuleOptions.KEY, List.of("header:x-api-key"))
                .limit(3L, window, null, null, null);
    }

    private void configureAll(RuleDefinition.Builder... definitions) {
        rules.configure(
                Stream.of(definitions).map(RuleDefinition.Builder::build).toList(),
                null,
                new Setting<>(List.of(), "limiter.web.exclude"));
    }

    private Change change(Map<String, String> settings) {
        return new Change(settings, 0, rules.now(), "ann", null, null);
    }

    private void change(String rule, Map<String, String> settings) {
        rules.change(rule, null, change(settings), null);
    }

    private void changeKey(String rule, String key, Map<String, String> settings) {
        Change twoHours =
                new Change(settings, 0, rules.now(), "ann", null, rules.now().plus(Duration.ofHours(2)));
        rules.change(rule, List.of(key), twoHours, null);
    }

    private void revert(String rule) {
        rules.revert(target -> target.key() == null && target.rule().equals(rule), null);
    }

    private RateLimitRule rule(String name) {
        return rules.named(name).get(0);
    }

    private long limit(String name) {
        return rule(name).rule().limits().get(0).limit();
    }

    @Test
    void changesLieOverTheConfigurationUntilTheyAreReverted() {
        configure("burst", "hourly");
        change(ORDERS, Map.of("limits.burst.limit", "4"));
        change(ORDERS, SHADOW);
        assertThat(limit(ORDERS)).isEqualTo(4);
        assertThat(rule(ORDERS).rule().limits().get(1).limit()).isEqualTo(3);
        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.SHADOW);
        assertThat(rule(ORDERS).origin()).isEqualTo("limiter.rules.orders");

        revert(ORDERS);
        assertThat(limit(ORDERS)).isEqualTo(3);
        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.ENFORCE);
        assertThat(rules.changes().all()).isEmpty();
        assertThat(rules.version()).isEqualTo(3);
        revert(ORDERS);
        assertThat(rules.version()).as("of nothing").isEqualTo(3);
    }

    @Test
    void changeMadeForAnotherVersionIsRejected() {
        configure();
        rules.change(ORDERS, null, change(SHADOW), 0L);
        assertThatThrownBy(() -> rules.change(ORDERS, null, change(Map.of("limit", "4")), 0L))
                .isInstanceOf(StaleVersionException.class);
        assertThatThrownBy(() -> rules.revert(target -> true, 0L)).isInstanceOf(StaleVersionException.class);
        assertThat(rules.version()).isEqualTo(1);
    }

    @Test
    void keyHasTheLimitsOfTheRuleWithADifference() {
        configure("burst", "hourly");
        changeKey(ORDERS, "acme", Map.of("limits.hourly.limit", "50"));

        assertThat(rule(ORDERS).overrides().keySet()).containsExactly("acme");
        assertThat(rule(ORDERS).limitsOf("acme").limits())
                .extracting(limit -> limit.name() + " " + limit.limit())
                .containsExactly("burst 3", "hourly 50");
        assertThat(rule(ORDERS).limitsOf("other")).isEqualTo(rule(ORDERS).rule());

        now.addAndGet(TimeUnit.HOURS.toNanos(2));
        rules.refresh();
        assertThat(rule(ORDERS).overrides()).isEmpty();
    }

    @Test
    void ruleOfASourceIsListedWhateverItsName() {
        configureAll(
                RuleDefinition.builder(ORDERS, RuleOrigin.source("a change")).limit(3L, "1h", null, null, null));

        assertThat(rules.all()).extracting(RateLimitRule::name).containsExactly(ORDERS);
    }

    @Test
    void changeOfNoRuleIsSkipped() {
        configure();

        change("Orders.list", Map.of("limit", "3", "window", "1h"));

        assertThat(rules.named("Orders.list")).isEmpty();
        assertThat(rules.skipped()).hasSize(1);
        assertThat(rules.problem())
                .hasValue(
                        "orders.list: a change is skipped. No rule has this name. Revert the change, or add the rule.");
        rules.revert(target -> target.rule().equals("orders.list"), null);
        assertThat(rules.problem()).isEmpty();
    }

    @Test
    void changesThatDoNotFitAreSkippedAndTheOthersAreInForce() {
        configure("burst", "hourly");
        changeKey(ORDERS, "acme", Map.of("limits.hourly.limit", "50"));
        changeKey(ORDERS, "other", Map.of("limits.burst.limit", "20"));
        change("strict", Map.of("limit", "2"));
        change(ORDERS, SHADOW);

        configure("hourly");

        assertThat(rule(ORDERS).overrides().keySet()).containsExactly("acme");
        assertThat(rule(ORDERS).mode()).isEqualTo(Mode.SHADOW);
        assertThat(limit("strict")).isEqualTo(2);
        assertThat(rules.changes().ofKeys(ORDERS).keySet()).containsExactly("acme", "other");
        assertThat(rules.problem())
                .hasValueSatisfying(
                        problem -> assertThat(problem).startsWith("orders: ").contains("no limit of this name"));

        configure("burst", "hourly");
        assertThat(rules.problem()).isEmpty();
        assertThat(rule(ORDERS).overrides()).hasSize(2);
    }

    @Test
    void skippedChangeHindersChangesOfItsOwnTargetAlone() {
        configure();
        change(ORDERS, Map.of("limit", "4"));
        configure("burst");

        changeKey(ORDERS, "acme", Map.of("limits.burst.limit", "20"));
        change("strict", Map.of("limit", "2"));

        assertThat(rule(ORDERS).overrides().keySet()).containsExactly("acme");
        assertThat(limit("strict")).isEqualTo(2);
        assertThatThrownBy(() -> change(ORDERS, SHADOW))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("The rule has named limits");
        revert(ORDERS);
        change(ORDERS, SHADOW);
        assertThat(rules.problem()).isEmpty();
    }

    @Test
    void changeIsRejectedThatAKeyInForceDoesNotFit() {
        configure();
        changeKey("strict", "acme", Map.of("limit", "6"));

        assertThatThrownBy(() -> change("strict", Map.of("window", "50m")))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("an override");

        assertThat(rule("strict").overrides()).hasSize(1);
        assertThat(rules.version()).isEqualTo(1);
    }

    @Test
    void revertedRuleSkipsTheKeysThatFitTheChangeAlone() {
        configure();
        change("strict", Map.of("window", "2h"));
        changeKey("strict", "acme", Map.of("limit", "6"));
        configureAll(strict("30m"));

        revert("strict");

        assertThat(rule("strict").overrides()).isEmpty();
        assertThat(rules.skipped()).hasSize(1);
        now.addAndGet(TimeUnit.HOURS.toNanos(3));
        rules.refresh();
        assertThat(rules.problem()).as("it is over").isEmpty();
    }
}
