package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two instances share a storage: requests wait, give up, are cancelled or interrupted, and never too many are in
 * flight.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("race")
class RemoteInFlightTests {

    private static final int THREADS = 6;
    private static final int REQUESTS = 2_000;
    private static final int LIMIT = 3;

    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong most = new AtomicLong();
    private final AtomicLong permitted = new AtomicLong();
    private final RateLimiterStorage shared =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000);
    private final ExecutorService network = Executors.newFixedThreadPool(2);
    private final List<RemoteStorageView> storages = List.of(instance(), instance());
    private final List<RateLimiters> instances =
            storages.stream().map(RateLimiters::new).toList();

    private RemoteStorageView instance() {
        RemoteStorageView storage = new RemoteStorageView(shared);
        storage.replyIn(network);
        return storage;
    }

    @AfterEach
    void stop() {
        network.shutdown();
    }

    static List<Rule> rules() {
        Limit concurrency = Limit.concurrency(LIMIT).named("inFlight");
        return List.of(
                Rule.of("pool", concurrency),
                Rule.of(
                        "pool",
                        concurrency,
                        Limit.tokenBucket(20_000, Duration.ofSeconds(1)).burst(1000)));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void neverMoreThanTheLimitAndNoneInFlightAtTheEnd(Rule rule) {
        List<Callable<Void>> tasks = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(1);
        for (int i = 0; i < THREADS; i++) {
            RateLimiters limiters = instances.get(i % 2);
            SplittableRandom random = seeds.split();
            tasks.add(() -> {
                for (int request = 0; request < REQUESTS; request++) {
                    one(limiters, rule, random);
                }
                return null;
            });
        }
        try (Threads threads = new Threads()) {
            threads.race(tasks);
        }
        until(() -> instances.stream().allMatch(limiters -> limiters.waiting() == 0)
                && shared.peek(rule, "key").limits().get(0).remaining() == LIMIT);
        assertThat(inFlight).hasValue(0);
        assertThat(most.get()).isBetween(2L, (long) LIMIT);
        assertThat(permitted.get()).isGreaterThan(THREADS * REQUESTS / 20);
    }

    private void one(RateLimiters limiters, Rule rule, SplittableRandom random) {
        Charge charge = rule.charge("key", 1 + random.nextInt(2)).maxWait(Duration.ofNanos(random.nextLong(5_000_000)));
        switch (random.nextInt(6)) {
            case 0 -> {
                Thread.currentThread().interrupt();
                use(limiters.acquire(List.of(charge)), charge);
                boolean unused = Thread.interrupted();
            }
            case 1, 2 -> {
                var unused = limiters.acquireAsync(List.of(charge), () -> true)
                        .thenAccept(decision -> use(decision, charge));
            }
            case 3 -> {
                CompletableFuture<Decision> future = limiters.acquireAsync(List.of(charge), () -> true);
                var unused = future.thenAccept(decision -> use(decision, charge));
                future.cancel(false);
            }
            default -> use(limiters.acquire(List.of(charge)), charge);
        }
    }

    private void use(Decision decision, Charge charge) {
        if (decision.permitted()) {
            permitted.incrementAndGet();
            most.accumulateAndGet(inFlight.addAndGet(charge.permits()), Math::max);
            Thread.onSpinWait();
            inFlight.addAndGet(-charge.permits());
            decision.close();
        }
    }
}
