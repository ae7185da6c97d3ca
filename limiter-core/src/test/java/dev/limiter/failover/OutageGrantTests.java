package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A grant that is paid for while it is released, or given back: nothing is lost, and nothing is returned twice. */
class OutageGrantTests {

    private static final int ROUNDS = 20_000;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final Rule rule = Rule.of(
            "rule",
            Limit.concurrency(1).named("flight"),
            Limit.fixedWindow(2L * ROUNDS, Duration.ofHours(1)).named("hourly"));
    private final Charge charge = rule.charge("key");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isOverOnceHoweverItsEndMeetsItsPayment(boolean givenBack) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int i = 0; i < ROUNDS; i++) {
                KeyUse use = new KeyUse();
                assertThat(use.reserve(charge, 1, 0)).allMatch(LimitStatus::permitted);
                OutageGrant grant = new OutageGrant(use, charge, charge.rule());
                Decision late = shared.decide(List.of(charge));
                assertThat(late.permitted()).isTrue();
                together(threads, () -> grant.pay(late), grant::release, givenBack ? grant::giveBack : grant::release);
                assertThat(use.owes()).isFalse();
                assertThat(shared.peek(rule, "key").limits())
                        .extracting(LimitStatus::remaining)
                        .containsExactly(1L, givenBack ? 2L * ROUNDS : 2L * ROUNDS - i - 1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void together(ExecutorService threads, Runnable... tasks)
            throws InterruptedException, ExecutionException {
        List<Runnable> mixed = new ArrayList<>(List.of(tasks));
        Collections.shuffle(mixed);
        CyclicBarrier start = new CyclicBarrier(mixed.size());
        List<Future<?>> done = new ArrayList<>();
        for (Runnable task : mixed) {
            done.add(threads.submit(() -> {
                start.await();
                task.run();
                return null;
            }));
        }
        for (Future<?> each : done) {
            each.get();
        }
    }
}
