package dev.limiter.spring.actuate.metrics;

import static dev.limiter.spring.actuate.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.actuate.TestRules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.DecisionReports;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The gauges of rules follow changes of the rules. */
class RuleGaugesTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.test");

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final RateLimiters limiters =
            new RateLimiters(new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, 1_000));
    private final PermitHolders holders = new PermitHolders(now::get);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LiveRules rules = TestRules.live(now::get);
    private final RuleGauges gauges = gauges();

    private RuleGauges gauges() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("registry", registry));
        return new RuleGauges(
                beans.getBeanProvider(MeterRegistry.class), rules, holders, new QueuedRequestCounter(limiters));
    }

    /** Rules, each with the expected meters, tags and values. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(hourly(7), List.of("limiter.limit test, test, none = 7", "limiter.overrides test = 0")),
                arguments(
                        rule("test").namedLimit("tight", limit(2)).namedLimit("loose", limit(100)),
                        List.of(
                                "limiter.limit test-loose, test, none = 100",
                                "limiter.limit test-tight, test, none = 2",
                                "limiter.overrides test = 0")),
                arguments(
                        hourly(7)
                                .set(RuleOptions.TIER_BY, "header:plan")
                                .set(LimitsDefinition.TIERS, Map.of("gold", new LimitsDefinition(limit(70), null))),
                        List.of(
                                "limiter.limit test, test, gold = 70",
                                "limiter.limit test, test, none = 7",
                                "limiter.overrides test = 0")),
                arguments(
                        pool(),
                        List.of(
                                "limiter.active test = 0",
                                "limiter.limit test, test, none = 3",
                                "limiter.overrides test = 0")),
                arguments(
                        hourly(7).set(RuleOptions.MAX_WAIT, "1s").set(RuleOptions.MAX_WAITING, 5),
                        List.of(
                                "limiter.limit test, test, none = 7",
                                "limiter.overrides test = 0",
                                "limiter.queued test = 0")),
                arguments(
                        hourly(7).set(RuleOptions.KEY, List.of("header:user")).ban(1L, "1m", "15m"),
                        List.of(
                                "limiter.bans test = 0",
                                "limiter.keys.unresolved test = 0",
                                "limiter.limit test, test, none = 7",
                                "limiter.overrides test = 0")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void showsTheMetersOfARule(RuleDefinition.Builder rule, List<String> meters) {
        TestRules.configure(rules, rule);
        gauges.start();
        assertThat(meters()).isEqualTo(meters);
    }

    @Test
    void followsTheRules() {
        TestRules.configure(rules, hourly(7));
        gauges.start();
        TestRules.configure(rules, hourly(8), rule("other").limit(limit(9)));
        gauges.rulesChanged(new RulesChanged(rules.version(), Set.of()));
        assertThat(meters())
                .containsExactly(
                        "limiter.limit other, other, none = 9",
                        "limiter.limit test, test, none = 8",
                        "limiter.overrides other = 0",
                        "limiter.overrides test = 0");

        TestRules.configure(rules);
        gauges.rulesChanged(new RulesChanged(rules.version(), Set.of()));
        assertThat(meters()).isEmpty();
    }

    /** Micrometer warns about each repeated registration of a counter. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void registersCountersOnceWhenRulesChange(CapturedOutput output) {
        TestRules.configure(rules, hourly(7).set(RuleOptions.KEY, List.of("header:user")));
        gauges.start();
        gauges.rulesChanged(new RulesChanged(rules.version(), Set.of()));
        assertThat(registry.find("limiter.keys.unresolved").functionCounters()).hasSize(1);
        assertThat(output).doesNotContain("limiter.keys.unresolved");
    }

    @Test
    void showsAndTimesPermitsThatAreHeld() {
        TestRules.configure(rules, pool());
        gauges.start();
        Verdict first = decide();
        Verdict second = decide();
        assertThat(meters()).contains("limiter.active test = 2");

        now.addAndGet(Duration.ofSeconds(4).toNanos());
        first.close();
        assertThat(meters()).contains("limiter.active test = 1");
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        second.close();
        assertThat(registry.get("limiter.held").tag("rule", "test").timer()).satisfies(held -> {
            assertThat(held.count()).isEqualTo(2);
            assertThat(held.totalTime(TimeUnit.SECONDS)).isEqualTo(10);
        });
    }

    private Verdict decide() {
        RateLimitContext context = RateLimitContext.of(mock(RequestView.class), "GET /orders");
        return new RuleDecider(
                        limiters,
                        limiters.storage(),
                        new DecisionReports(List.of(), List.of(), KeyHash.with("secret")),
                        holders)
                .decide(ApplicableRules.of(rules.all()), rule -> context);
    }

    private static RuleDefinition.Builder hourly(long limit) {
        return rule("test").limit(limit(limit));
    }

    private static RuleDefinition.Builder pool() {
        return rule("test").limit(3L, null, Algorithm.CONCURRENCY, null, null);
    }

    private static LimitDefinition limit(long limit) {
        return LimitDefinition.of(ORIGIN, limit, "1h", null, null, null);
    }

    /** Returns the meters with one value each: name, values of tags, and value. */
    private List<String> meters() {
        return registry.getMeters().stream()
                .filter(meter -> !meter.getId().getName().equals("limiter.held"))
                .map(meter -> meter.getId().getName() + " "
                        + meter.getId().getTags().stream().map(Tag::getValue).collect(Collectors.joining(", "))
                        + " = " + Math.round(meter.measure().iterator().next().getValue()))
                .sorted()
                .toList();
    }
}
