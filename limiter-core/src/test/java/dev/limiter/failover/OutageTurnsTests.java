package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.DelegatingStorage;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.failover.RemoteDecider.Unanswered;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The turns that the shared storage has given of a paced key are taken in memory once, whatever number of threads ask. */
class OutageTurnsTests {

    private static final int ROUNDS = 5_000;
    private static final int THREADS = 3;

    /** So many are in line by the last answer. */
    private static final int TURNS = 10;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage memory =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 2 * ROUNDS);
    private final RateLimiterStorage local = new WatchedStorage(memory);
    private final OutageUse use = new OutageUse(local, local, time);
    private final OutageDecider decider = new OutageDecider(local, use, rule -> OnFailure.LOCAL, () -> 1, time);
    private final Duration interval = Duration.ofMillis(50);
    private final Rule rule = Rule.of(
            "rule", Limit.leakyBucket(20, Duration.ofSeconds(1)).burst(40).paced());

    /** Memory that has other threads go on after a look, and the clock after turns were taken. */
    private final class WatchedStorage extends DelegatingStorage {

        WatchedStorage(RateLimiterStorage memory) {
            super(memory);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            Decision decision = super.decide(charges);
            if (charges.get(0).permits() > 1) {
                time.advance(VirtualTime.STEP);
            }
            return decision;
        }

        @Override
        public Decision peek(Rule rule, String key) {
            Decision looked = super.peek(rule, key);
            Thread.yield();
            return looked;
        }
    }

    /** An answer that tells of turns. */
    private record Turns(Rule rule, String key, Duration turns) implements RemoteRuleStatus {

        @Override
        public long takenAt() {
            return 1;
        }

        @Override
        public long taken(int limit) {
            return 0;
        }

        @Override
        public long left(int limit) {
            return 0;
        }

        @Override
        public long lastingNanos(int limit) {
            return turns.toNanos();
        }
    }

    @Test
    void areTakenOnceWhenSeveralThreadsFindThemMissing() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Long> lines = new ArrayList<>();
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            for (int i = 0; i < ROUNDS; i++) {
                String key = "key" + i;
                use.answered(new Turns(rule, key, interval.multipliedBy(TURNS)));
                List<Future<Boolean>> permitted = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    permitted.add(threads.submit(() -> {
                        start.await();
                        return decide(key).permitted();
                    }));
                }
                for (Future<Boolean> each : permitted) {
                    assertThat(each.get()).isTrue();
                }
                lines.add(inLine(key));
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(lines).containsOnly((long) TURNS + THREADS);
    }

    /** How many turns have begun, or are to come. */
    private long inLine(String key) {
        Duration line = memory.peek(rule, key).limits().get(0).resetAfter();
        return line.plus(interval).minusNanos(1).dividedBy(interval);
    }

    private Decision decide(String key) {
        Charge charge = rule.charge(key).within(Duration.ofSeconds(10));
        return decider.decide(List.of(Unanswered.notAsked(charge))).get(0);
    }
}
