package dev.limiter.benchmarks.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRuleManager;
import com.google.common.util.concurrent.RateLimiter;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import io.github.bucket4j.Bucket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The examples of {@code docs/migration}: the other library and Limiter reject the same request. */
class MigrationTests {

    private static final String WITHOUT_LIMITER = "limiter.enabled=false";
    private static final String WITHOUT_BUCKET4J = "bucket4j.enabled=false";
    private static final String WITHOUT_CACHE = "spring.cache.type=none";

    private final RateLimiters limiters = RateLimiters.builder().build();

    /** A limiter that is called once for each request. */
    interface Limiter {

        boolean permits() throws Exception;
    }

    /** The number of the first rejected request, from 1. */
    private static int firstRejected(Limiter limiter) throws Exception {
        for (int request = 1; request <= 50; request++) {
            if (!limiter.permits()) {
                return request;
            }
        }
        throw new AssertionError("50 requests were permitted");
    }

    @Test
    void bucket4j() throws Exception {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(20).refillGreedy(10, Duration.ofHours(1)))
                .build();

        Rule orders =
                Rule.of("orders", Limit.tokenBucket(10, Duration.ofHours(1)).burst(20));

        assertThat(firstRejected(() -> bucket.tryConsume(1)))
                .isEqualTo(
                        firstRejected(() -> limiters.tryAcquire(orders, "alice").permitted()))
                .isEqualTo(21);
    }

    @Test
    void bucket4jRefilledByIntervals() throws Exception {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(10).refillIntervally(10, Duration.ofHours(1)))
                .build();

        Rule orders =
                Rule.of("orders", Limit.fixedWindow(10, Duration.ofHours(1)).alignFirst());

        assertThat(firstRejected(() -> bucket.tryConsume(1)))
                .isEqualTo(
                        firstRejected(() -> limiters.tryAcquire(orders, "alice").permitted()))
                .isEqualTo(11);
    }

    @Test
    @Tag("long")
    void starterOfBucket4j() throws Exception {
        List<String> examples = MigrationPage.of("from-bucket4j.md").blocks("yaml");
        assertThat(firstRejectedOverHttp(examples.get(0), WITHOUT_LIMITER))
                .isEqualTo(firstRejectedOverHttp(examples.get(1), WITHOUT_BUCKET4J, WITHOUT_CACHE))
                .isEqualTo(11);
    }

    @Test
    @Tag("long")
    void resilience4j() throws Exception {
        List<String> examples = MigrationPage.of("from-resilience4j.md").blocks("yaml");
        int theirs;
        try (var application = start(
                WebApplicationType.NONE,
                examples.get(0),
                ResilienceOrders.class,
                WITHOUT_LIMITER,
                WITHOUT_BUCKET4J,
                WITHOUT_CACHE)) {
            ResilienceOrders orders = application.getBean(ResilienceOrders.class);
            theirs = firstRejected(() -> orders.order("alice").equals("ordered"));
        }
        try (var application =
                start(WebApplicationType.NONE, examples.get(1), LimiterOrders.class, WITHOUT_BUCKET4J, WITHOUT_CACHE)) {
            LimiterOrders orders = application.getBean(LimiterOrders.class);
            assertThat(firstRejected(() -> orders.order("alice").equals("ordered")))
                    .isEqualTo(theirs)
                    .isEqualTo(11);
        }
    }

    @Test
    void sentinelPerParameter() throws Exception {
        ParamFlowRule perCustomer = new ParamFlowRule("orders")
                .setParamIdx(0) // the first argument of SphU.entry
                .setCount(10)
                .setDurationInSec(3600);
        ParamFlowRuleManager.loadRules(List.of(perCustomer));

        Rule orders = Rule.of("orders", Limit.tokenBucket(10, Duration.ofHours(1)));

        assertThat(firstRejected(() -> entersSentinel("alice")))
                .isEqualTo(
                        firstRejected(() -> limiters.tryAcquire(orders, "alice").permitted()))
                .isEqualTo(11);
        assertThat(entersSentinel("bob")).isTrue();
    }

    @Test
    @Tag("long")
    void rulesInsteadOfSentinel() throws Exception {
        String yaml = MigrationPage.of("from-sentinel.md").blocks("yaml").get(0);
        try (var application = start(WebApplicationType.SERVLET, yaml, Orders.class, WITHOUT_BUCKET4J, WITHOUT_CACHE)) {
            assertThat(firstRejected(() -> MigrationPage.get(application, "/orders", "X-Customer", "alice") == 200))
                    .isEqualTo(11);
            assertThat(MigrationPage.get(application, "/orders", "X-Customer", "bob"))
                    .isEqualTo(200);
        }
    }

    private static boolean entersSentinel(String customer) {
        try (Entry entry = SphU.entry("orders", EntryType.IN, 1, customer)) {
            return true;
        } catch (BlockException rejected) {
            return false;
        }
    }

    @Test
    void sentinelInFlight() throws Exception {
        FlowRule inFlight = new FlowRule("reports");
        inFlight.setGrade(RuleConstant.FLOW_GRADE_THREAD);
        inFlight.setCount(3);
        FlowRuleManager.loadRules(List.of(inFlight));

        Rule reports = Rule.of("reports", Limit.concurrency(3));

        List<Entry> entries = new ArrayList<>();
        int theirs = firstRejected(() -> {
            try {
                return entries.add(SphU.entry("reports"));
            } catch (BlockException rejected) {
                return false;
            }
        });
        for (int i = entries.size() - 1; i >= 0; i--) {
            entries.get(i).exit();
        }
        assertThat(firstRejected(() -> limiters.tryAcquire(reports, "").permitted()))
                .isEqualTo(theirs)
                .isEqualTo(4);
    }

    @Test
    void guava() throws Exception {
        RateLimiter perMinute = RateLimiter.create(1.0 / 60);

        Rule mails = Rule.of("mails", Limit.tokenBucket(1, Duration.ofMinutes(1)));

        assertThat(firstRejected(perMinute::tryAcquire))
                .isEqualTo(firstRejected(() -> limiters.tryAcquire(mails, "").permitted()))
                .isEqualTo(2);
    }

    @Test
    void guavaWithATimeout() throws Exception {
        RateLimiter perMinute = RateLimiter.create(1.0 / 60);
        Rule mails = Rule.of("mails", Limit.tokenBucket(1, Duration.ofMinutes(1)));

        assertThat(firstRejected(() -> perMinute.tryAcquire(Duration.ofSeconds(1))))
                .isEqualTo(firstRejected(() -> {
                    Decision decision = limiters.acquire(mails, "", Duration.ofSeconds(1)); // waits at most a second
                    return decision.permitted();
                }))
                .isEqualTo(2);
    }

    private static int firstRejectedOverHttp(String yaml, String... properties) throws Exception {
        try (var application = start(WebApplicationType.SERVLET, yaml, Orders.class, properties)) {
            return firstRejected(() -> MigrationPage.get(application, "/orders") == 200);
        }
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type, String yaml, Class<?> orders, String... properties) throws IOException {
        return MigrationPage.application(yaml, properties)
                .sources(Shop.class, orders)
                .web(type)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableCaching // the starter of bucket4j keeps its buckets in a cache
    static class Shop {}

    @RestController
    static class Orders {

        @GetMapping("/orders")
        String orders() {
            return "ordered";
        }
    }
}
