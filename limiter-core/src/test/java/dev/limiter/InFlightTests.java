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
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests wait, give up, are interrupted and released in any order, in memory and by two instances on a shared
 * storage: never too many are in flight, and none at the end.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InFlightTests {

    private static final int THREADS = 8;
    private static final int LIMIT = 5;

    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong most = new AtomicLong();
    private final AtomicLong permitted = new AtomicLong();
    private final RateLimiterStorage shared =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000);
    private final ExecutorService network = Executors.newFixedThreadPool(2);
    private final AtomicReferenceArray<Thread> running = new AtomicReferenceArray<>(THREADS);

    @AfterEach
    void stop() {
        network.shutdown();
    }

    private RateLimiters remote() {
        RemoteStorageView storage = new RemoteStorageView(shared);
        storage.replyIn(network);
        return new RateLimiters(storage);
    }

    /** A concurrency limit alone, and with a rate that rejects almost never or often. */
    @ParameterizedTest
    @CsvSource({
        "false, 0, 100000",
        "false, 100000000, 25000",
        "false, 200000, 25000",
        "true, 0, 8000",
        "true, 20000, 8000"
    })
    void endsAtZeroAndNeverExceedsTheLimit(boolean remote, long perSecond, int requests) {
        Limit pool = Limit.concurrency(LIMIT);
        Rule rule = perSecond == 0
                ? Rule.of("pool", pool)
                : Rule.of(
                        "pool",
                        pool,
                        Limit.tokenBucket(perSecond, Duration.ofSeconds(1)).named("rate"));
        List<RateLimiters> instances = remote ? List.of(remote(), remote()) : List.of(new RateLimiters(shared));
        List<Callable<Void>> tasks = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(1);
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = seeds.split();
            RateLimiters limiters = instances.get(i % instances.size());
            int thread = i;
            tasks.add(() -> {
                running.set(thread, Thread.currentThread());
                for (int request = 0; request < requests / THREADS; request++) {
                    one(limiters, rule, random);
                }
                running.set(thread, null);
                boolean unused = Thread.interrupted();
                return null;
            });
        }
        try (Threads threads = new Threads()) {
            threads.race(tasks);
        }
        // a request that was permitted in another thread may be about to be released
        until(() -> instances.stream().allMatch(limiters -> limiters.waiting() == 0)
                && shared.peek(rule, "key").limits().get(0).remaining() == LIMIT);
        assertThat(inFlight).hasValue(0);
        assertThat(most.get()).isBetween(2L, (long) LIMIT);
        assertThat(permitted.get()).isGreaterThan(requests / 20);
    }

    private void one(RateLimiters limiters, Rule rule, SplittableRandom random) {
        Charge charge = rule.charge("key", 1 + random.nextInt(3)).maxWait(Duration.ofNanos(random.nextLong(1_000_000)));
        boolean twice = random.nextBoolean();
        switch (random.nextInt(8)) {
            case 0 -> interruptSomebody(random);
            case 1 -> {
                Thread.currentThread().interrupt();
                use(limiters.acquire(List.of(charge)), charge, twice);
            }
            case 2, 3 -> {
                var unused = limiters.acquireAsync(List.of(charge), () -> true)
                        .thenAccept(decision -> use(decision, charge, twice));
            }
            case 4 -> {
                CompletableFuture<Decision> future = limiters.acquireAsync(List.of(charge), random::nextBoolean);
                var unused = future.thenAccept(decision -> use(decision, charge, twice));
                future.cancel(false);
            }
            case 5 -> use(limiters.tryAcquire(rule, "key", charge.permits()), charge, twice);
            default -> use(limiters.acquire(List.of(charge)), charge, twice);
        }
        boolean unused = Thread.interrupted();
    }

    private void interruptSomebody(SplittableRandom random) {
        Thread other = running.get(random.nextInt(THREADS));
        if (other != null) {
            other.interrupt();
        }
    }

    private void use(Decision decision, Charge charge, boolean twice) {
        if (decision.permitted()) {
            permitted.incrementAndGet();
            most.accumulateAndGet(inFlight.addAndGet(charge.permits()), Math::max);
            Thread.onSpinWait();
            inFlight.addAndGet(-charge.permits());
        }
        decision.close();
        if (twice) {
            decision.giveBack();
            decision.close();
        }
    }
}
