package dev.limiter.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.google.common.util.concurrent.RateLimiter;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how late queued requests leave in real time, and how far the rate of 1,000 of them is from the
 * configured one. There are fewer requests at low rates, which would take long.
 *
 * <p>Turns are one interval apart. The schedule starts so that the most punctual request is not late; the rate is
 * counted from the first turn to the last departure. For {@code Tables lateness}.
 */
public final class WaitLateness {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<Integer> RATES = List.of(10, 100, 1_000, 100_000);
    private static final int THREADS = 100;

    /**
     * Runs requests one after the other, and returns the {@link System#nanoTime} of each departure in ascending
     * order.
     */
    private interface Pacing {

        long[] run(int rate, int requests) throws InterruptedException;
    }

    private interface Acquire {

        void one() throws InterruptedException;
    }

    private WaitLateness() {}

    public static void main(String[] args) throws InterruptedException {
        for (int rate : RATES) {
            print("**Limiter**, 100 threads", rate, (perSecond, requests) -> threads(limiter(perSecond), requests));
            print("**Limiter**, futures", rate, WaitLateness::futures);
            print("Guava, 100 threads", rate, (perSecond, requests) -> threads(guava(perSecond), requests));
            print(
                    "resilience4j, 100 threads",
                    rate,
                    (perSecond, requests) -> threads(resilience4j(perSecond), requests));
            print("Sentinel, 100 threads", rate, (perSecond, requests) -> threads(sentinel(perSecond), requests));
        }
        System.exit(0);
    }

    private static Acquire limiter(int rate) {
        RateLimiters limiters = RateLimiters.builder().build();
        Rule rule = rule(rate);
        return () -> {
            if (!limiters.acquire(rule, "key", HOUR).permitted()) {
                throw new IllegalStateException("rejected");
            }
        };
    }

    private static Rule rule(int rate) {
        return Rule.of("rule", Limit.leakyBucket(rate, SECOND).burst(1_000_000).paced());
    }

    private static Acquire guava(int rate) {
        RateLimiter limiter = RateLimiter.create(rate);
        return limiter::acquire;
    }

    /** Permits one per period, which is the closest to pacing that resilience4j has. */
    private static Acquire resilience4j(int rate) {
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of(
                "rule",
                RateLimiterConfig.custom()
                        .limitForPeriod(1)
                        .limitRefreshPeriod(SECOND.dividedBy(rate))
                        .timeoutDuration(HOUR)
                        .build());
        return () -> {
            if (!limiter.acquirePermission()) {
                throw new IllegalStateException("rejected");
            }
        };
    }

    private static Acquire sentinel(int rate) {
        FlowRule rule = new FlowRule("rule" + rate);
        rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
        rule.setCount(rate);
        rule.setControlBehavior(RuleConstant.CONTROL_BEHAVIOR_RATE_LIMITER);
        rule.setMaxQueueingTimeMs(3_600_000);
        FlowRuleManager.loadRules(List.of(rule));
        return () -> {
            try (Entry entry = SphU.entry(rule.getResource())) {
                // only the waiting counts
            } catch (BlockException e) {
                throw new IllegalStateException("rejected", e);
            }
        };
    }

    private static long[] threads(Acquire acquire, int requests) throws InterruptedException {
        long[] times = new long[requests];
        AtomicInteger next = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            new Thread(() -> {
                        try {
                            while (next.getAndIncrement() < requests) {
                                acquire.one();
                                long now = System.nanoTime();
                                times[left.getAndIncrement()] = now;
                            }
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        } finally {
                            done.countDown();
                        }
                    })
                    .start();
        }
        done.await();
        return times;
    }

    private static long[] futures(int rate, int requests) throws InterruptedException {
        RateLimiters limiters = RateLimiters.builder().build();
        Rule rule = rule(rate);
        long[] times = new long[requests];
        CountDownLatch done = new CountDownLatch(requests);
        for (int i = 0; i < requests; i++) {
            int request = i;
            limiters.acquireAsync(rule, "key", HOUR).thenAccept((Decision decision) -> {
                times[request] = System.nanoTime();
                done.countDown();
            });
        }
        done.await();
        return times;
    }

    private static void print(String who, int rate, Pacing pacing) throws InterruptedException {
        int requests = Math.min(1_000, 5 * rate) + 1;
        // the first run is late
        for (int i = 0; i < 20; i++) {
            pacing.run(100_000, 1_000);
        }
        long[] times = pacing.run(rate, requests);
        Arrays.sort(times);
        long[] late = new long[requests];
        for (int i = 0; i < requests; i++) {
            late[i] = times[i] - times[0] - (long) i * SECOND.toNanos() / rate;
        }
        long last = late[requests - 1];
        Arrays.sort(late);
        double took = (requests - 1) * 1e9 / rate + last - late[0];
        double differs = 100 * ((requests - 1) * 1e9 / rate / took - 1);
        String row = String.format(Locale.ROOT, "%s, %,d per s", who, rate);
        new Measurement("lateness", row, "median", (late[requests / 2] - late[0]) / 1e3).print();
        new Measurement("lateness", row, "p99", (late[(int) (requests * 0.99)] - late[0]) / 1e3).print();
        new Measurement("lateness", row, "max", (late[requests - 1] - late[0]) / 1e3).print();
        new Measurement("lateness", row, "rate differs by", differs).print();
    }
}
