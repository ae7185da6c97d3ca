package dev.limiter.spring.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.LogLines;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.resolve.ResolverCache.Resolver;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resolvers are called once per key and time, and failing ones keep the last limits. The clock stands still. */
class ResolverCacheTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Map<String, String> headers = new HashMap<>();
    private final Map<String, Object> rows = new HashMap<>();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private final AtomicInteger questions = new AtomicInteger();
    private final LogLines log = new LogLines();

    private long now;
    private long era;
    private boolean down;
    private boolean over;

    private final ResolverStatus status = new ResolverStatus("orders", () -> now, log);
    private final ResolverCache cache = new ResolverCache(10, status, background::add, () -> now, () -> era);
    private final Resolver plans = new Resolver(this::plan, MINUTE);

    private @Nullable Object plan(RateLimitContext context) {
        questions.incrementAndGet();
        String customer = context.request().getHeader("X-Customer");
        if (down) {
            throw new IllegalStateException("database is down");
        }
        return rows.get(customer);
    }

    /** A request without headers after its end, because containers reuse the object. */
    private RateLimitContext request() {
        over = false;
        RequestView view = (RequestView) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RequestView.class}, (proxy, method, arguments) -> {
                    if (over) {
                        throw new IllegalStateException("recycled");
                    }
                    return switch (method.getName()) {
                        case "getHeader" -> headers.get((String) arguments[0]);
                        case "isUserInRole" -> true;
                        default -> null;
                    };
                });
        return RateLimitContext.of(view, "GET /orders");
    }

    private @Nullable Object get(String customer) {
        headers.put("X-Customer", customer);
        Object plan = cache.get(customer, request(), plans);
        over = true;
        return plan;
    }

    private void runBackground() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void keyIsAskedForOnceWithinTheTime() {
        rows.put("acme", 1_000);
        for (int i = 0; i < 5; i++) {
            assertThat(get("acme")).isEqualTo(1_000);
            assertThat(get("unknown")).isNull();
        }
        pass(MINUTE.minusNanos(1));
        assertThat(get("acme")).isEqualTo(1_000);
        assertThat(background).isEmpty();
        assertThat(questions).hasValue(2);
    }

    @Test
    void oldResultIsRefreshedOnceInTheBackground() {
        rows.put("acme", 1_000);
        get("acme");
        rows.put("acme", 2_000);
        pass(MINUTE);

        assertThat(List.of(get("acme"), get("acme"))).containsOnly(1_000);
        assertThat(background).hasSize(1);
        runBackground();

        assertThat(get("acme")).isEqualTo(2_000);
        assertThat(questions).hasValue(2);
    }

    @Test
    void concurrentRequestsOfANewKeyShareOneQuestion() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch reply = new CountDownLatch(1);
        Resolver slow = new Resolver(
                context -> {
                    questions.incrementAndGet();
                    asked.countDown();
                    await(reply);
                    return 7;
                },
                MINUTE);
        List<FutureTask<Object>> requests = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            FutureTask<Object> request = new FutureTask<>(() -> cache.get("acme", request(), slow));
            requests.add(request);
            threads.add(new Thread(request));
        }
        threads.get(0).start();
        asked.await();
        threads.subList(1, 8).forEach(Thread::start);
        while (threads.stream().skip(1).anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        reply.countDown();

        for (FutureTask<Object> request : requests) {
            assertThat(request.get()).isEqualTo(7);
        }
        assertThat(questions).hasValue(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** No request may wait for a call that was rejected. */
    @Test
    @Timeout(60)
    void requestsThatMeetAtTheEndOfAQuestionAllGetAResult() throws Exception {
        Resolver always = new Resolver(context -> questions.incrementAndGet(), Duration.ZERO);
        RateLimitContext call = request();
        List<FutureTask<Boolean>> callers = Stream.generate(() -> new FutureTask<>(
                        () -> IntStream.range(0, 100_000).allMatch(i -> cache.get("acme", call, always) != null)))
                .limit(4)
                .toList();
        callers.forEach(caller -> new Thread(caller).start());
        for (FutureTask<Boolean> caller : callers) {
            assertThat(caller.get()).isTrue();
        }
    }

    @Test
    void resolverThatComesBackToItsKeyDoesNotWaitForItself() {
        Queue<Object> inner = new ConcurrentLinkedQueue<>();
        Resolver[] recursive = new Resolver[1];
        recursive[0] = new Resolver(
                context -> {
                    inner.add(String.valueOf(cache.get("acme", request(), recursive[0])));
                    return 7;
                },
                MINUTE);

        assertThat(cache.get("acme", request(), recursive[0])).isEqualTo(7);
        assertThat(inner).containsExactly("null");
    }

    @Test
    void failingSourceKeepsLastResultsAndFailsNoRequest() {
        rows.put("acme", 1_000);
        get("acme");
        down = true;
        for (int minute = 0; minute < 10; minute++) {
            pass(MINUTE);
            assertThat(get("acme")).isEqualTo(1_000);
            assertThat(get("new")).isNull();
            runBackground();
        }
        assertThat(questions.get()).as("one for each key and minute").isLessThanOrEqualTo(21);
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("WARN Rule orders: limit-resolver fails. Until it works again, known keys keep their last"
                        + " limits");
        assertThat(status.failure()).contains("1970-01-01T00:01:00Z", "database is down");

        down = false;
        rows.put("new", 5);
        pass(MINUTE);
        get("new");
        runBackground();
        assertThat(get("new")).isEqualTo(5);
        assertThat(status.failure()).isNull();
        assertThat(log.lines()).hasSize(2).last().asString().isEqualTo("INFO Rule orders: limit-resolver works again.");
    }

    @Test
    void newKeyWaitsForNoSourceThatFails() {
        down = true;
        assertThat(get("first")).isNull();
        down = false;
        rows.put("second", 5);

        assertThat(get("second")).isNull();
        runBackground();
        assertThat(get("second")).isEqualTo(5);
    }

    @Test
    void failedQuestionIsRepeatedAfterAMinuteAtTheLatest() {
        Resolver daily = new Resolver(this::plan, Duration.ofDays(1));
        down = true;
        cache.get("acme", request(), daily);
        pass(MINUTE.minusNanos(1));
        cache.get("acme", request(), daily);
        assertThat(background).isEmpty();

        pass(Duration.ofNanos(1));
        cache.get("acme", request(), daily);
        assertThat(background).hasSize(1);
    }

    /**
     * Values are copied before the end of the request. A value that a resolver reads for the first time is copied from
     * the next request.
     */
    @Test
    void backgroundReadsOnlyCopiesOfRequests() {
        Resolver byRole = new Resolver(
                context -> {
                    RequestView request = context.request();
                    return now == 0
                            ? request.getHeader("X-Plan")
                            : request.getHeader("X-Plan") + request.isUserInRole("ADMIN");
                },
                MINUTE);
        headers.put("X-Plan", "gold");
        assertThat(cache.get("acme", request(), byRole)).isEqualTo("gold");

        pass(MINUTE);
        for (int i = 0; i < 2; i++) {
            assertThat(cache.get("acme", request(), byRole)).isEqualTo("gold");
            over = true;
            runBackground();
        }
        assertThat(cache.get("acme", request(), byRole)).isEqualTo("goldtrue");
        assertThat(status.failure()).isNull();
    }

    @Test
    void resolverThatUnwrapsTheRequestIsAskedDuringRequests() {
        Resolver unwrapping = new Resolver(
                context -> {
                    assertThat(context.request().unwrap(String.class)).isNull();
                    return questions.incrementAndGet();
                },
                MINUTE);
        assertThat(cache.get("acme", request(), unwrapping)).isEqualTo(1);
        pass(MINUTE);
        assertThat(cache.get("acme", request(), unwrapping)).isEqualTo(2);
        assertThat(background).isEmpty();
    }

    @Test
    void keepsTheKeysThatAreUsed() {
        rows.put("acme", 1_000);
        for (int i = 0; i < 100; i++) {
            get("acme");
            get("key" + i);
        }
        assertThat(questions).hasValue(101);
        get("key0");
        assertThat(questions).as("dropped").hasValue(102);
    }

    @Test
    void resetForgetsAllResults() {
        rows.put("acme", 1);
        get("acme");
        rows.put("acme", 2);
        era++;
        assertThat(cache.last("acme")).isNull();
        assertThat(get("acme")).isEqualTo(2);
    }
}
