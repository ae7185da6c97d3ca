package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.waiting.AsyncExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener is notified of requests that actually wait: once of the beginning, and once of the end. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitListenerTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final RateLimiters limiters = new RateLimiters(memory);

    @BeforeEach
    void listen() {
        listen(limiters);
    }

    private void listen(RateLimiters other) {
        other.onWait(charges -> {
            Thread caller = Thread.currentThread();
            return new WaitListener.Wait() {
                @Override
                public void begins() {
                    events.add("begins " + charges.get(0).rule().name() + " of " + caller.getName());
                }

                @Override
                public void ends(@Nullable Decision decision) {
                    events.add(decision == null ? "given up" : decision.permitted() ? "permitted" : "rejected");
                }
            };
        });
    }

    private String begins(Rule rule) {
        return "begins " + rule.name() + " of " + Thread.currentThread().getName();
    }

    private void hasBegun() {
        until(() -> !events.isEmpty());
        assertThat(events).hasSize(1);
    }

    @Test
    void receivesNoRequestsThatAreDecidedAtOnce() {
        assertThat(limiters.acquire(paced, "key", HOUR).permitted()).isTrue();
        assertThat(limiters.acquire(paced, "key", Duration.ZERO).permitted()).isFalse();
        assertThat(limiters.acquireAsync(pool, "key", HOUR).join().permitted()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void receivesAThreadThatWaits() {
        limiters.tryAcquire(paced, "key");
        Caller caller = new Caller(() -> limiters.acquire(paced, "key", HOUR));
        hasBegun();
        time.advance(SECOND);
        assertThat(caller.decision().permitted()).isTrue();
        assertThat(events).hasSize(2).element(1).isEqualTo("permitted");
    }

    @Test
    void receivesAFutureThatWaits() {
        Decision held = limiters.tryAcquire(pool, "key");
        CompletableFuture<Decision> future = limiters.acquireAsync(pool, "key", HOUR);
        assertThat(events).containsExactly(begins(pool));
        held.close();
        assertThat(future.join().permitted()).isTrue();
        assertThat(events).containsExactly(begins(pool), "permitted");
    }

    @Test
    void receivesAFutureThatIsCancelled() {
        limiters.tryAcquire(pool, "key");
        CompletableFuture<Decision> future = limiters.acquireAsync(pool, "key", HOUR);
        future.cancel(true);
        assertThat(events).containsExactly(begins(pool), "given up");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void receivesRequestsThatAreRejectedOnStopping(boolean thread) {
        limiters.tryAcquire(pool, "key");
        if (thread) {
            Caller caller = new Caller(() -> limiters.acquire(pool, "key", HOUR));
            hasBegun();
            limiters.stopWaiting();
            assertThat(caller.decision().permitted()).isFalse();
        } else {
            CompletableFuture<Decision> future = limiters.acquireAsync(pool, "key", HOUR);
            limiters.stopWaiting();
            assertThat(future.join().permitted()).isFalse();
        }
        assertThat(events).hasSize(2).element(1).isEqualTo("rejected");
    }

    /** A remote storage is called by the thread of the request, and replies in another one. */
    @Test
    void receivesAWaitAfterTheReplyOfARemoteStorage() {
        RemoteStorageView elsewhere = new RemoteStorageView(memory);
        RateLimiters remote = new RateLimiters(elsewhere, new VirtualTimer(time), AsyncExecutor.toCommonPool());
        listen(remote);
        assertThat(remote.acquireAsync(paced, "key", HOUR).join().permitted()).isTrue();
        assertThat(events).isEmpty();
        CompletableFuture<Decision> future = remote.acquireAsync(paced, "key", HOUR);
        hasBegun();
        assertThat(events).containsExactly(begins(paced));
        future.cancel(true);
        assertThat(events).containsExactly(begins(paced), "given up");
    }

    /** A request behind others is queued while the storage checks whether it can be served in time. */
    @Test
    void receivesNoRequestsThatCannotBeServedInTimeBehindOthers() {
        RemoteStorageView elsewhere = new RemoteStorageView(memory);
        RateLimiters remote = new RateLimiters(elsewhere, new VirtualTimer(time), AsyncExecutor.toCommonPool());
        listen(remote);
        Rule log = Rule.of("log", Limit.slidingWindowLog(1, HOUR));
        assertThat(remote.tryAcquire(log, "key").permitted()).isTrue();
        CompletableFuture<Decision> first = remote.acquireAsync(log, "key", HOUR);
        assertThat(events).containsExactly(begins(log));
        elsewhere.withhold();

        CompletableFuture<Decision> second = remote.acquireAsync(log, "key", SECOND);
        elsewhere.reply();

        assertThat(second.join().permitted()).isFalse();
        assertThat(events).containsExactly(begins(log));
        first.cancel(true);
        assertThat(events).containsExactly(begins(log), "given up");
    }

    @Test
    void listenerOfOneRequestReceivesOnlyThatRequest() {
        limiters.tryAcquire(pool, "key");
        var unused = limiters.acquireAsync(pool, "key", HOUR);
        List<String> own = new CopyOnWriteArrayList<>();
        CompletableFuture<Decision> future =
                limiters.acquireAsync(List.of(pool.charge("key").maxWait(HOUR)), charges -> new WaitListener.Wait() {
                    @Override
                    public void begins() {
                        own.add("begins");
                    }

                    @Override
                    public void ends(@Nullable Decision decision) {
                        own.add("ends");
                    }
                });
        assertThat(own).containsExactly("begins");
        assertThat(events).hasSize(2);
        future.cancel(true);
        assertThat(own).containsExactly("begins", "ends");
    }
}
