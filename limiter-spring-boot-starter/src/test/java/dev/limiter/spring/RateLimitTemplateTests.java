package dev.limiter.spring;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimitExceededException;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.autoconfigure.LimiterAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterChangesAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterEndpointAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterMethodAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterMetricsAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterRulesAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterTemplateAutoConfiguration;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.test.VirtualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Limits in code have the modes, tiers, bans and buckets of their rules. */
class RateLimitTemplateTests {

    private static ConfigurableApplicationContext application;
    private static RateLimitTemplate limits;

    @BeforeAll
    static void start() {
        Map<String, Object> properties = new HashMap<>();
        properties.putAll(daily("calls", Map.of("limit", 2)));
        properties.putAll(daily("orders", Map.of("limit", 2, "paths", "/orders", "key", "principal|ip")));
        properties.putAll(daily("site", Map.of("limit", 2, "paths", "/**", "key", "global")));
        properties.putAll(daily("pairs", Map.of("limit", 2, "paths", "/pairs", "key", "principal,header:x-tenant")));
        properties.putAll(daily("watched", Map.of("limit", 1, "mode", "shadow")));
        properties.putAll(daily("idle", Map.of("limit", 1, "mode", "off")));
        properties.putAll(daily("guarded", Map.of("limit", 1, "ban.after", 1, "ban.within", "1h", "ban.for", "2h")));
        properties.putAll(daily("attempts", Map.of("limit", 1, "charge-if", "failed")));
        properties.putAll(daily("heavy", Map.of("limit", 10, "cost", 4)));
        properties.putAll(daily(
                "requests",
                Map.of(
                        "limit", 2,
                        "cost", "#request.path.length()",
                        "condition", "#request.path == '/free'",
                        "charge-if", "#response.status == 401",
                        "tier-by", "#request.getHeader('X-Plan')",
                        "tiers.gold.limit", 3)));
        properties.putAll(daily(
                "plans",
                Map.of("limit", 1, "tier-by", "@premium.contains(#key) ? 'gold' : ''", "tiers.gold.limit", 3)));
        properties.putAll(daily("sized", Map.of("limit", 1, "limit-resolver", "lengthOfKey")));
        properties.putAll(rule("pool", Map.of("limit", 1, "algorithm", "concurrency")));
        properties.putAll(rule("queue", Map.of("limit", 1, "algorithm", "concurrency", "max-wait", "1m")));
        properties.putAll(rule("completes", Map.of("burst", 3)));
        properties.put("management.endpoints.web.exposure.include", "limiter");
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .run();
        limits = application.getBean("limiterTemplate", RateLimitTemplate.class);
    }

    private static Map<String, Object> daily(String name, Map<String, Object> settings) {
        Map<String, Object> rule = new HashMap<>(settings);
        rule.put("window", "1d");
        rule.put("algorithm", "fixed-window");
        return rule(name, rule);
    }

    private static Map<String, Object> rule(String name, Map<String, Object> settings) {
        Map<String, Object> properties = new HashMap<>();
        settings.forEach((option, value) -> properties.put("limiter.rules." + name + "." + option, value));
        return properties;
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void takesPermitsOfAKey() {
        assertThat(permitted("calls", "alice", 3)).isEqualTo(2);
        assertThat(limits.tryAcquire("Calls", "bob").remaining()).isEqualTo(1);
        assertThat(limits.tryAcquire("calls", "bob").rule().name()).isEqualTo("calls");
    }

    @Test
    void takesTheCostOfTheRuleOrTheRequestedPermits() {
        assertThat(limits.tryAcquire("heavy", "alice").remaining()).isEqualTo(6);
        assertThat(limits.tryAcquire("heavy", "alice", 5).remaining()).isEqualTo(1);
        assertThat(limits.tryAcquire("heavy", "alice", 2).permitted()).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.tryAcquire("heavy", "alice", -1))
                .withMessageContaining("0 or more");
    }

    @Test
    void peeksWithoutCharging() {
        limits.tryAcquire("calls", "peeked");

        assertThat(limits.peek("calls", "peeked").remaining()).isEqualTo(1);
        assertThat(limits.peek("calls", "peeked").permitted()).isTrue();
        limits.tryAcquire("calls", "peeked");
        assertThat(limits.peek("calls", "peeked").permitted()).isFalse();
    }

    @Test
    void resetForgetsTheUseOfAKeyAndItsBan() {
        limits.tryAcquire("guarded", "reset");
        limits.tryAcquire("guarded", "reset");
        assertThat(limits.peek("guarded", "reset").retryAfter()).contains(Duration.ofHours(2));

        limits.reset("guarded", "reset");

        assertThat(limits.tryAcquire("guarded", "reset").permitted()).isTrue();
    }

    @Test
    void sharesTheBucketOfRequestsWithTheValueOfTheOnlyPart() {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        Rule orders = Rule.of("orders", Limit.fixedWindow(2, Duration.ofDays(1)));
        Rule site = Rule.of("site", Limit.fixedWindow(2, Duration.ofDays(1)));
        Rule pairs = Rule.of("pairs", Limit.fixedWindow(2, Duration.ofDays(1)));

        limits.tryAcquire("orders", "alice");
        limits.tryAcquire("orders", "");
        limits.tryAcquire("site", "");
        limits.tryAcquire("site", "alice");
        limits.tryAcquire("pairs", "alice");

        assertThat(limiters.peek(orders, "principal=5:alice").remaining()).isEqualTo(1);
        assertThat(limiters.peek(orders, "principal|ip=unresolved").remaining()).isEqualTo(1);
        assertThat(limiters.peek(site, "").remaining()).isEqualTo(1);
        assertThat(limiters.peek(site, "key=5:alice").remaining()).isEqualTo(1);
        assertThat(limiters.peek(pairs, "key=5:alice").remaining()).isEqualTo(1);
    }

    @Test
    void noKeyCanImitateAnotherOne() {
        limits.tryAcquire("orders", "carol");

        assertThat(limits.peek("orders", "principal=5:carol").remaining()).isEqualTo(2);
        assertThat(limits.peek("orders", "principal:carol").remaining()).isEqualTo(2);
    }

    @Test
    void acquireThrowsTheRejection() {
        limits.acquire("calls", "thrown");
        limits.acquire("calls", "thrown");

        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(() -> limits.acquire("calls", "thrown"))
                .satisfies(rejection ->
                        assertThat(rejection.decision().retryAfter()).contains(Duration.ofDays(1)));
        assertThat(limits.acquireAsync("calls", "thrown"))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void waitsOnlyIfTheCallerMayWait() throws Exception {
        Decision first = limits.tryAcquire("queue", "alice");
        assertThat(limits.tryAcquire("queue", "alice").permitted()).isFalse();
        CompletableFuture<Decision> second = limits.acquireAsync("queue", "alice");
        assertThat(second).isNotDone();

        first.close();

        assertThat(second).succeedsWithin(Duration.ofSeconds(10)).satisfies(Decision::close);
        assertThat(limits.acquire("queue", "alice").permitted()).isTrue();
    }

    @Test
    void cancelledWaitTakesNothing() {
        Decision first = limits.tryAcquire("queue", "cancelled");
        CompletableFuture<Decision> acquired = limits.acquireAsync("queue", "cancelled");
        List<String> ran = new ArrayList<>();
        CompletableFuture<String> executed = limits.executeAsync("queue", "cancelled", () -> {
            ran.add("work");
            return CompletableFuture.completedFuture("done");
        });

        acquired.cancel(true);
        executed.cancel(true);
        first.close();

        await(() -> limits.peek("queue", "cancelled").permitted());
        assertThat(ran).isEmpty();
    }

    @Test
    void executeHoldsThePermitUntilTheWorkIsDone() {
        PermitHolders holders = application.getBean(PermitHolders.class);
        String result = limits.execute("pool", "alice", () -> {
            assertThat(limits.tryAcquire("pool", "alice").permitted()).isFalse();
            assertThat(holders.permits("pool")).isEqualTo(1);
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(holders.permits("pool")).isZero();
        Runnable failing = () -> {
            throw new IllegalStateException("failed");
        };
        assertThatThrownBy(() -> limits.execute("pool", "alice", failing)).hasMessage("failed");
        assertThat(limits.peek("pool", "alice").permitted()).isTrue();
    }

    @Test
    void holdsThePermitUntilAStageCompletes() {
        for (boolean async : List.of(false, true)) {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = async
                    ? limits.executeAsync("pool", "later", () -> work)
                    : limits.execute("pool", "later", () -> work);

            assertThat(limits.peek("pool", "later").permitted()).isFalse();
            work.complete("done");

            assertThat(result).isCompletedWithValue("done");
            assertThat(limits.peek("pool", "later").permitted()).isTrue();
        }
    }

    @Test
    void chargeIfIsSettledByResultOrException() {
        limits.execute("attempts", "alice", () -> "right");
        assertThat(limits.peek("attempts", "alice").permitted()).isTrue();

        Supplier<String> failing = () -> {
            throw new IllegalStateException("wrong");
        };
        assertThatThrownBy(() -> limits.execute("attempts", "alice", failing)).hasMessage("wrong");
        assertThat(limits.peek("attempts", "alice").permitted()).isFalse();
    }

    @Test
    void shadowModeAndOffPermit() {
        assertThat(permitted("watched", "alice", 3)).isEqualTo(3);
        assertThat(decisions("watched", "shadow-rejected")).isEqualTo(2);
        assertThat(permitted("idle", "alice", 3)).isEqualTo(3);
        assertThat(limits.peek("watched", "alice").permitted()).isTrue();
    }

    @Test
    void expressionsOverARequestAreNotSet() {
        assertThat(permitted("requests", "alice", 3)).isEqualTo(2);
        assertThat(limits.execute("requests", "bob", () -> "done")).isEqualTo("done");
        assertThat(limits.peek("requests", "bob").remaining()).isEqualTo(1);
    }

    @Test
    void tiersAndLimitsGoByTheKey() {
        assertThat(permitted("plans", "alice", 5)).isEqualTo(3);
        assertThat(permitted("plans", "bob", 5)).isEqualTo(1);
        assertThat(permitted("sized", "four", 5)).isEqualTo(4);
    }

    @Test
    void decisionsAreCountedAndReported() {
        limits.tryAcquire("calls", "counted");

        assertThat(decisions("calls", "permitted")).isPositive();
        assertThat(application.getBean("reports", Queue.class)).contains("calls code key=7:counted");
    }

    @Test
    void unknownRuleIsAnErrorWithTheNameThatWasMeant() {
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> limits.tryAcquire("cals", "alice"))
                .withMessageContainingAll("\"cals\"", "No rule has this name", "Did you mean calls?", "LIM-105");
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(() -> limits.peek("completes", "alice"))
                .withMessageContainingAll("limiter.rules.completes", "LIM-201");
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void missingWorkTakesNoPermit() {
        long before = limits.peek("pool", "missing").remaining();

        assertThatNullPointerException().isThrownBy(() -> limits.execute("pool", "missing", (Supplier<?>) null));
        assertThatNullPointerException().isThrownBy(() -> limits.executeAsync("pool", "missing", null));

        assertThat(limits.peek("pool", "missing").remaining()).isEqualTo(before);
    }

    @Test
    void reloadReadsRuleSourcesAgain() {
        AtomicReference<RuleDefinition> partner = partner();
        partner.set(RuleDefinition.named("partner").limit(1, "1d"));
        limits.reload();
        assertThat(permitted("partner", "alice", 2)).isEqualTo(1);

        partner.set(RuleDefinition.named("partner").limit(3, "1d"));
        limits.reload();
        assertThat(permitted("partner", "alice", 5)).isEqualTo(2);

        partner.set(RuleDefinition.named("partner").limit(0, "1d"));
        assertThatIllegalStateException()
                .isThrownBy(limits::reload)
                .withMessageContainingAll("limit", "rule \"partner\"", "the RuleSource bean partners", "LIM-107");
        assertThat(permitted("partner", "bob", 5)).isEqualTo(3);
    }

    @Test
    void everythingIsPermittedWithoutLimits() {
        new ApplicationContextRunner()
                .withConfiguration(Limiter.autoConfigurations())
                .withPropertyValues("limiter.enabled=false")
                .run(context -> {
                    RateLimitTemplate unlimited = context.getBean(RateLimitTemplate.class);
                    assertThat(unlimited.tryAcquire("any", "alice").permitted()).isTrue();
                    assertThat(unlimited.execute("any", "alice", () -> "done")).isEqualTo("done");
                    assertThat(unlimited.peek("any", "alice").limits()).isEmpty();
                    unlimited.reset("any", "alice");
                    unlimited.reload();
                });
    }

    private static long permitted(String rule, String key, int requests) {
        long permitted = 0;
        for (int i = 0; i < requests; i++) {
            permitted += limits.tryAcquire(rule, key).permitted() ? 1 : 0;
        }
        return permitted;
    }

    @SuppressWarnings("unchecked")
    private static AtomicReference<RuleDefinition> partner() {
        return application.getBean("partner", AtomicReference.class);
    }

    private static double decisions(String rule, String outcome) {
        return application
                .getBean(MeterRegistry.class)
                .find("limiter.decisions")
                .tags("rule", rule, "resource", "code", "outcome", outcome)
                .counters()
                .stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @SpringBootConfiguration
    @ImportAutoConfiguration({
        LimiterRulesAutoConfiguration.class,
        LimiterAutoConfiguration.class,
        LimiterMethodAutoConfiguration.class,
        LimiterChangesAutoConfiguration.class,
        LimiterMetricsAutoConfiguration.class,
        LimiterEndpointAutoConfiguration.class,
        LimiterTemplateAutoConfiguration.class
    })
    static class Application {
        @Bean
        static TimeSource time() {
            return new VirtualTimeSource();
        }

        /** @param limits reloads rules when the partners change */
        @Bean
        static RuleSource partners(AtomicReference<RuleDefinition> partner, RateLimitTemplate limits) {
            return () -> List.of(partner.get());
        }

        @Bean
        static AtomicReference<RuleDefinition> partner() {
            return new AtomicReference<>(RuleDefinition.named("partner").limit(1, "1d"));
        }

        @Bean
        static MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        static Set<String> premium() {
            return Set.of("alice");
        }

        @Bean
        static LimitResolver lengthOfKey() {
            return context ->
                    Limit.fixedWindow(Objects.requireNonNull(context.key()).length(), Duration.ofDays(1));
        }

        @Bean
        static Queue<String> reports() {
            return new ConcurrentLinkedQueue<>();
        }

        @Bean
        static RateLimitListener listener(Queue<String> reports) {
            return event -> reports.add(event.rule() + " " + event.resource() + " " + event.key());
        }
    }
}
