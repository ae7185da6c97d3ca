package dev.limiter.spring.actuate.metrics;

import static dev.limiter.spring.actuate.TestRules.compiled;
import static dev.limiter.spring.actuate.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.DecisionReports;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** Decisions, rejections, bans and waits are counted with the documented tags. */
class LimiterMetricsTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.test");

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final InMemoryRateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, 1_000);
    private final RateLimiters limiters = new RateLimiters(storage);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LimiterMetrics metrics = metrics(registry);
    private final RuleDecider decider = new RuleDecider(
            limiters,
            limiters.storage(),
            new DecisionReports(List.of(metrics), List.of(), KeyHash.with("secret")),
            new PermitHolders(now::get));

    private LimiterMetrics metrics(MeterRegistry... registries) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        for (int i = 0; i < registries.length; i++) {
            beans.addBean("registry" + i, registries[i]);
        }
        return new LimiterMetrics(
                beans.getBeanProvider(MeterRegistry.class),
                limiters,
                new DecidingStorage(limiters.storage(), "memory"),
                80);
    }

    @ParameterizedTest
    @CsvSource({"ENFORCE, rejected", "SHADOW, shadow-rejected"})
    void countsDecisionsAndTheLimitsThatReject(Mode mode, String rejected) {
        metrics.afterSingletonsInstantiated();
        RateLimitRule rule = compiled(rule("test")
                .set(RuleOptions.MODE, mode)
                .namedLimit("tight", limit(2, "1h"))
                .namedLimit("loose", limit(100, "1h")));
        decide(5, rule);
        assertThat(count("limiter.decisions", "rule", "test", "resource", "GET /orders", "outcome", "permitted"))
                .isEqualTo(2);
        assertThat(count("limiter.decisions", "outcome", rejected)).isEqualTo(3);
        assertThat(count("limiter.rejections", "rule", "test", "limit", "test-tight", "outcome", rejected))
                .isEqualTo(3);
        assertThat(registry.find("limiter.rejections").counters()).hasSize(1);
    }

    /** A request is near a limit of ten permits if it uses the eighth. */
    @ParameterizedTest
    @CsvSource({"7, 0", "8, 1", "9, 2", "10, 3"})
    void countsRequestsThatLeaveLittle(int requests, int near) {
        metrics.afterSingletonsInstantiated();
        decide(requests, compiled(rule("test").limit(10L, "1h", null, null, null)));
        assertThat(near()).isEqualTo(near);
    }

    /** Requests without priority have five of ten permits, so they are near the limit from the fourth. */
    @ParameterizedTest
    @CsvSource({"3, 0", "4, 1", "5, 2", "6, 2"})
    void reserveDoesNotCountAsUsed(int requests, int near) {
        metrics.afterSingletonsInstantiated();
        decide(
                requests,
                compiled(rule("test")
                        .limit(10L, "1h", null, null, null)
                        .set(RuleOptions.PRIORITY, "#request.getHeader('plan') == 'platinum'")
                        .set(RuleOptions.RESERVE, "50%")));
        assertThat(near()).isEqualTo(near);
    }

    static Stream<RuleDefinition.Builder> spaced() {
        return Stream.of(
                rule("test").limit(10L, "1s", null, null, null).warmUp("10s"),
                rule("test")
                        .limit(10L, "1s", Algorithm.LEAKY_BUCKET, null, null)
                        .set(RuleOptions.MAX_WAIT, "1s"));
    }

    @ParameterizedTest
    @MethodSource("spaced")
    void requestAtItsTurnIsNotNearToALimit(RuleDefinition.Builder spaced) {
        metrics.afterSingletonsInstantiated();
        decide(1, compiled(spaced));
        assertThat(count("limiter.decisions", "outcome", "permitted")).isEqualTo(1);
        assertThat(near()).isZero();
    }

    private double near() {
        return registry.find("limiter.near.limit").tag("rule", "test").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void tagsTheTierOfTheRejectingLimit() {
        metrics.afterSingletonsInstantiated();
        decide(
                2,
                compiled(rule("test")
                        .limit(10L, "1h", null, null, null)
                        .set(RuleOptions.TIER_BY, "header:plan")
                        .set(LimitsDefinition.TIERS, Map.of("gold", new LimitsDefinition(limit(1, "1h"), null)))));
        assertThat(count("limiter.rejections", "tier", "gold")).isEqualTo(1);
        assertThat(registry.find("limiter.rejections").tag("tier", "none").counter())
                .isNull();
    }

    /** During an outage, the rule with the share of an instance is created for each decision. */
    @Test
    void countsRulesCreatedPerDecisionTogether() {
        metrics.afterSingletonsInstantiated();
        RateLimitRule rule = compiled(rule("test").limit(10L, "1h", null, null, null));
        AtomicLong lookedUp = new AtomicLong();
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                lookedUp.incrementAndGet();
                return id;
            }
        });
        for (int i = 0; i < 100; i++) {
            Charge charge =
                    Rule.of("test", Limit.fixedWindow(1, Duration.ofHours(1))).charge("client");
            limiters.tryAcquire(charge);
            metrics.count(rule, "GET /orders", Outcome.REJECTED, charge, limiters.tryAcquire(charge), Duration.ZERO);
        }
        assertThat(count("limiter.rejections", "limit", "test")).isEqualTo(100);
        assertThat(lookedUp).hasValue(2);
    }

    @Test
    void countsBansAndNotTheirRejections() {
        metrics.afterSingletonsInstantiated();
        RateLimitRule rule = compiled(rule("test")
                .set(RuleOptions.KEY, List.of("header:plan"))
                .limit(1L, "1h", null, null, null)
                .ban(1L, "1m", "15m"));
        decide(4, rule);
        assertThat(count("limiter.bans", "rule", "test")).isEqualTo(1);
        assertThat(count("limiter.decisions", "outcome", "banned")).isEqualTo(2);
    }

    @Test
    void timesOnlyRequestsThatWaited() {
        metrics.afterSingletonsInstantiated();
        RateLimitRule rule = compiled(rule("test").limit(1L, "1h", null, null, null));
        metrics.count(rule, "GET /orders", Outcome.PERMITTED, null, null, Duration.ofMillis(250));
        metrics.count(rule, "GET /orders", Outcome.PERMITTED, null, null, Duration.ZERO);
        assertThat(registry.get("limiter.wait").tag("rule", "test").timer()).satisfies(timer -> {
            assertThat(timer.count()).isEqualTo(1);
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
        });
    }

    @Test
    void showsTheStatesOfTheStorage() {
        metrics.afterSingletonsInstantiated();
        decide(1, compiled(rule("test").limit(1L, "1h", null, null, null)));
        assertThat(registry.get("limiter.keys").tag("storage", "memory").gauge().value())
                .isEqualTo(1);
        assertThat(registry.get("limiter.waiting").gauge().value()).isZero();

        now.addAndGet(Duration.ofHours(3).toNanos());
        storage.cleanUp();
        assertThat(registry.get("limiter.evictions").tag("cause", "expired").functionCounters())
                .singleElement()
                .extracting(FunctionCounter::count)
                .isEqualTo(1.0);
        assertThat(registry.get("limiter.keys").gauge().value()).isZero();
    }

    private void decide(int times, RateLimitRule rule) {
        RequestView request = mock();
        when(request.getHeader("plan")).thenReturn("gold");
        RateLimitContext context = RateLimitContext.of(request, "GET /orders");
        for (int i = 0; i < times; i++) {
            decider.decide(ApplicableRules.of(List.of(rule)), same -> context);
        }
    }

    private double count(String meter, String... tags) {
        return registry.get(meter).tags(tags).counter().count();
    }

    private static LimitDefinition limit(long limit, String window) {
        return LimitDefinition.of(ORIGIN, limit, window, null, null, null);
    }
}
