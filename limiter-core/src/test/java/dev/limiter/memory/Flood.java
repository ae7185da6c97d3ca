package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Threads that use all operations of a storage. Under each algorithm they take permits of clients at their limit,
 * during a flood of new keys. Other keys change their limits, are refunded, reset, held and waited for. Counts the
 * permits of the clients, and how many of a pool are held at once.
 */
final class Flood implements AutoCloseable {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long STEP = Duration.ofMillis(250).toNanos();
    private static final int POOL = 3;

    private final VirtualTime time;
    private final InMemoryRateLimiterStorage storage;
    private final long maxKeys;
    private final int threads;
    private final Threads workers = new Threads();
    private final List<Client> clients = new ArrayList<>();
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger mostHeld = new AtomicInteger();
    private final AtomicLong keys = new AtomicLong();
    private final long start;

    Flood(VirtualTime time, long maxKeys, int threads) {
        this.time = time;
        this.start = time.now();
        this.maxKeys = maxKeys;
        this.threads = threads;
        this.storage = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, maxKeys);
        for (Limit limit : List.of(
                Limit.tokenBucket(10, MINUTE),
                Limit.leakyBucket(10, MINUTE),
                Limit.fixedWindow(10, MINUTE),
                Limit.fixedWindow(10, MINUTE).alignFirst(),
                Limit.slidingWindowCounter(10, MINUTE),
                Limit.slidingWindowLog(10, MINUTE))) {
            Rule rule = Rule.of("rule" + clients.size(), limit);
            clients.add(new Client(rule, "client" + clients.size()));
            storage.decide(rule, "client" + (clients.size() - 1), 10);
        }
    }

    InMemoryRateLimiterStorage storage() {
        return storage;
    }

    /** A client that always requests more than it gets. */
    private record Client(Rule rule, String key, AtomicLong permits) {

        Client(Rule rule, String key) {
            this(rule, key, new AtomicLong(10));
        }

        /** Returns the most permits that it may get within {@code nanos}. */
        long bound(long nanos) {
            long windows = nanos / MINUTE.toNanos();
            return switch (rule.limits().get(0).algorithm()) {
                case TOKEN_BUCKET, LEAKY_BUCKET -> 10 + 10 * nanos / MINUTE.toNanos();
                case SLIDING_WINDOW_COUNTER -> 11 * (windows + 1);
                default -> 10 * (windows + 2);
            };
        }
    }

    /** Runs rounds of a quarter of a second each, in which all threads work at once. */
    void run(int rounds) {
        for (int round = 0; round < rounds; round++) {
            long seed = round;
            List<Callable<Boolean>> work = LongStream.range(0, threads)
                    .<Callable<Boolean>>mapToObj(thread -> () -> work(new SplittableRandom(seed * threads + thread)))
                    .toList();
            workers.race(work);
            time.advance(STEP);
            check();
        }
    }

    void check() {
        for (Client client : clients) {
            assertThat(client.permits().get())
                    .as("permits under %s", client.rule())
                    .isLessThanOrEqualTo(client.bound(time.now() - start));
        }
        assertThat(mostHeld.get()).as("held at once").isLessThanOrEqualTo(POOL);
        assertThat(storage.size()).isLessThanOrEqualTo(maxKeys + maxKeys / 100);
    }

    private boolean work(SplittableRandom random) {
        Deque<Decision> open = new ArrayDeque<>();
        for (int i = 0; i < 400; i++) {
            switch (random.nextInt(8)) {
                case 0, 1 -> ask(clients.get(random.nextInt(clients.size())));
                case 2, 3 -> flood(random);
                case 4 -> change(random);
                case 5 -> hold(random, open);
                case 6 -> open.add(storage.decide(rule(random, 5), key(random), 1 + random.nextInt(3)));
                default -> storage.reset(rule(random, 5), key(random));
            }
            if (open.size() > 10) {
                open.remove().giveBack();
            }
        }
        open.forEach(Decision::giveBack);
        return true;
    }

    private void ask(Client client) {
        if (storage.decide(client.rule(), client.key(), 1).permitted()) {
            client.permits().incrementAndGet();
        }
    }

    private void flood(SplittableRandom random) {
        Rule rule = random.nextBoolean()
                ? clients.get(random.nextInt(clients.size())).rule()
                : Rule.of("flood", Limit.tokenBucket(1000, Duration.ofDays(1)));
        storage.decide(rule, "flood" + keys.incrementAndGet(), 1);
    }

    /** Uses keys with limits that change all the time, by tier or by configuration. */
    private void change(SplittableRandom random) {
        storage.decide(rule(random, 5 + random.nextInt(20)), key(random), 1);
    }

    private static Rule rule(SplittableRandom random, long limit) {
        List<Limit> limits = List.of(
                Limit.tokenBucket(limit, MINUTE),
                Limit.fixedWindow(limit, MINUTE),
                Limit.slidingWindowLog(limit, MINUTE),
                Limit.slidingWindowCounter(limit, MINUTE));
        int chosen = random.nextInt(limits.size());
        return Rule.of("changing" + random.nextInt(3), limits.get(chosen));
    }

    private static String key(SplittableRandom random) {
        return "key" + random.nextInt(50);
    }

    /** Holds permits of a pool that must never exceed its limit, under a rate that may reject. */
    private void hold(SplittableRandom random, Deque<Decision> open) {
        Rule pool = Rule.of(
                "pool",
                Limit.tokenBucket(1_000_000, MINUTE),
                Limit.concurrency(POOL).named("held"));
        Decision decision = storage.decide(pool, "pool", 1);
        if (!decision.permitted()) {
            return;
        }
        mostHeld.accumulateAndGet(held.incrementAndGet(), Math::max);
        flood(random);
        held.decrementAndGet();
        if (random.nextBoolean()) {
            decision.close();
        } else {
            decision.giveBack();
        }
        Decision reserved =
                storage.decide(List.of(rule(random, 5).charge(key(random), 2).maxWait(MINUTE)));
        open.add(reserved);
    }

    /** Advances the clock past all windows, without requests. */
    void silence() {
        time.advance(Duration.ofDays(40));
        storage.cleanUp();
    }

    @Override
    public void close() {
        workers.close();
    }
}
