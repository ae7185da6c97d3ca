package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Eight threads queue for two pools, alone and together, use the permits, and give up: never more are in flight than
 * the limit, and each request completes. The test must fail with a lock that does not lock.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueStressTests {

    private static final int THREADS = 8;
    private static final int LIMIT = 3;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<Rule> POOLS =
            List.of(Rule.of("one", Limit.concurrency(LIMIT)), Rule.of("two", Limit.concurrency(LIMIT)));

    private static final class Unlocked extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        @Override
        public void lock() {}

        @Override
        public void unlock() {}
    }

    @Test
    void neverMoreInFlightThanTheLimitAndNoRequestIsLost() {
        for (int seed = 0; seed < 10; seed++) {
            new Stress(new ReentrantLock(), seed).run(2_000);
        }
    }

    @Test
    void detectsAMissingLock() {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < 200; seed++) {
                        new Stress(new Unlocked(), seed).run(2_000);
                    }
                })
                .isInstanceOfAny(AssertionError.class, RuntimeException.class);
    }

    private static final class Stress {

        private final RateLimiterStorage storage =
                new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 100);
        private final WaitingRoom room;
        private final SplittableRandom seeds;
        private final List<AtomicLong> inFlight = List.of(new AtomicLong(), new AtomicLong());
        private final AtomicLong tooMany = new AtomicLong();

        Stress(ReentrantLock lock, long seed) {
            this.room = new WaitingRoom(
                    storage, WaitTimer.ofTheJdk(TimeSource.system()), AsyncExecutor.toCommonPool(), lock);
            this.seeds = new SplittableRandom(seed);
        }

        void run(int requests) {
            List<Callable<List<CompletableFuture<Decision>>>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = seeds.split();
                tasks.add(() -> come(random, requests / THREADS));
            }
            List<CompletableFuture<Decision>> all = new ArrayList<>();
            try (Threads threads = new Threads()) {
                threads.race(tasks).forEach(all::addAll);
            }
            for (CompletableFuture<Decision> one : all) {
                assertThat(one.handle((decision, failure) -> "decided").orTimeout(10, TimeUnit.SECONDS))
                        .succeedsWithin(Duration.ofSeconds(10));
                assertThat(one.isCancelled() || one.join().permitted()).isTrue();
            }
            assertThat(tooMany).hasValue(0);
            assertThat(room.size()).isZero();
            for (Rule pool : POOLS) {
                assertThat(storage.peek(pool, "key").remaining()).isEqualTo(LIMIT);
            }
        }

        private List<CompletableFuture<Decision>> come(SplittableRandom random, int requests) {
            List<CompletableFuture<Decision>> mine = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                List<Charge> charges = new ArrayList<>();
                int which = 1 + random.nextInt(3);
                for (int pool = 0; pool < 2; pool++) {
                    if ((which & 1 << pool) != 0) {
                        charges.add(POOLS.get(pool)
                                .charge("key", 1 + random.nextInt(2))
                                .maxWait(HOUR));
                    }
                }
                CompletableFuture<Decision> future = room.acquireAsync(charges, () -> true);
                mine.add(future.thenApply(decision -> use(decision, charges)));
                if (random.nextInt(4) == 0) {
                    future.cancel(false);
                    mine.remove(mine.size() - 1);
                }
            }
            return mine;
        }

        private Decision use(Decision decision, List<Charge> charges) {
            charges.forEach(charge -> count(charge, charge.permits()));
            Thread.yield();
            charges.forEach(charge -> count(charge, -charge.permits()));
            decision.close();
            return decision;
        }

        private void count(Charge charge, long permits) {
            if (inFlight.get(POOLS.indexOf(charge.rule())).addAndGet(permits) > LIMIT) {
                tooMany.incrementAndGet();
            }
        }
    }
}
