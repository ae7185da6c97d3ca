package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The caches of the module are bounded, and keep no key that was removed. */
class RecentMapTests {

    private static final int ROUNDS = 20_000;

    /** Large enough that no entry is dropped while the first ones move. */
    private static final int HALF = 2 * ROUNDS;

    @Test
    void dropsTheLeastRecentlyUsed() {
        RecentMap<Integer, Integer> map = new RecentMap<>(4);
        for (int i = 0; i < 4; i++) {
            map.put(i, i);
        }
        assertThat(map.get(0)).isZero();
        map.put(4, 4);
        map.put(5, 5);
        assertThat(map.get(0)).isZero();
        assertThat(map.get(1)).isNull();
    }

    @Test
    void doesNotKeepAKeyThatIsRemovedConcurrently() throws Exception {
        RecentMap<Integer, Object> map = new RecentMap<>(HALF * 2);
        for (int i = 0; i <= HALF; i++) {
            map.put(i, new Object());
        }
        CyclicBarrier start = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> used = threads.submit(() -> {
                start.await();
                for (int key = 0; key < ROUNDS; key++) {
                    map.get(key);
                }
                return null;
            });
            Future<?> removed = threads.submit(() -> {
                start.await();
                for (int key = 0; key < ROUNDS; key++) {
                    map.remove(key);
                }
                return null;
            });
            used.get();
            removed.get();
        } finally {
            threads.shutdownNow();
        }
        assertThat(map.size()).isEqualTo(HALF + 1 - ROUNDS);
    }
}
