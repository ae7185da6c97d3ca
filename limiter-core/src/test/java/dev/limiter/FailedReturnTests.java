package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.ReleaseListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A storage that cannot take permits back fails only the request that returns them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedReturnTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    /** The same tests for memory and for a remote storage. */
    abstract static class Contract {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        final Set<Rule> kept = ConcurrentHashMap.newKeySet();
        final FailingReturnStorage unreturnable = new FailingReturnStorage(shared, kept::contains);
        final Rule paced =
                Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
        final Rule window = Rule.of("window", Limit.fixedWindow(1, SECOND));
        final Rule pool = Rule.of("pool", Limit.concurrency(1));
        final Rule seats = Rule.of("seats", Limit.concurrency(1));

        RateLimiterStorage storage = unreturnable;
        VirtualWaiting room = new VirtualWaiting(storage, time);

        final Charge waits(Rule rule) {
            return rule.charge("key").maxWait(HOUR);
        }

        /** Returns a request that waits for the next turn of each rule. */
        final Request inTurn(Rule... rules) {
            List.of(rules).forEach(this::take);
            return room.waiter(List.of(rules).stream().map(this::waits).toArray(Charge[]::new));
        }

        final void take(Rule rule) {
            assertThat(shared.decide(rule, "key", 1).permitted()).isTrue();
        }

        final boolean isFree(Rule rule) {
            return shared.peek(rule, "key").permitted();
        }

        final void assertFailed(Request request, Rule rule) {
            assertThat(request.waits()).isFalse();
            assertThat(request.failure()).hasMessage("cannot take back " + rule.name());
        }

        @Test
        void requestThatCannotReturnItsTurnFailsAndIsNotCounted() {
            for (Rule rule : List.of(paced, window)) {
                kept.clear();
                room.limiters.startWaiting();
                Request request = inTurn(rule);
                assertThat(room.limiters.mayWait(waits(rule).maxWaiting(1))).isFalse();
                kept.add(rule);

                room.limiters.stopWaiting();

                assertFailed(request, rule);
                assertThat(room.limiters.waiting()).isZero();
                room.limiters.startWaiting();
                assertThat(room.limiters.mayWait(waits(rule).maxWaiting(1))).isTrue();
            }
        }

        @Test
        void turnsOfOtherRulesAreReturned() {
            Request request = inTurn(paced, window);
            kept.add(paced);

            request.cancel();

            assertThat(room.limiters.waiting()).isZero();
            time.advance(SECOND);
            assertThat(isFree(window)).isTrue();
            assertThat(isFree(paced)).isFalse();
        }

        @Test
        void closingCompletesAllRequests() {
            take(paced);
            take(pool);
            Request first = room.waiter(waits(paced));
            Request second = room.waiter(waits(paced));
            Request inQueue = room.waiter(waits(pool));
            kept.add(paced);

            room.limiters.close();

            assertFailed(first, paced);
            assertFailed(second, paced);
            assertThat(inQueue.isRejected()).isTrue();
            assertThat(room.limiters.waiting()).isZero();
        }

        @Test
        void cancelledRequestIsReportedToListeners() {
            List<String> events = new CopyOnWriteArrayList<>();
            room.limiters.onWait(charges -> new WaitListener.Wait() {
                @Override
                public void begins() {
                    events.add("begins");
                }

                @Override
                public void ends(@Nullable Decision decision) {
                    events.add("ends");
                }
            });
            Request request = inTurn(paced);
            kept.add(paced);

            request.cancel();

            assertThat(room.limiters.waiting()).isZero();
            assertThat(events).containsExactly("begins", "ends");
        }

        @Test
        void turnBeyondMaxWaitingIsDecidedAtOnce() {
            take(paced);
            kept.add(paced);
            Request first = room.waiter(waits(paced).maxWaiting(1));
            assertThat(room.enter(waits(paced).maxWaiting(1)).isRejected()).isTrue();
            assertThat(first.waits()).isTrue();
            assertThat(room.limiters.waiting()).isEqualTo(1);
        }

        @Test
        void givingBackReturnsTheOtherParts() {
            Decision decision = storage.decide(List.of(window.charge("key"), pool.charge("key")));
            assertThat(isFree(pool)).isFalse();
            kept.add(window);

            assertThatThrownBy(decision::giveBack).hasMessage("cannot take back window");

            assertThat(isFree(pool)).isTrue();
        }

        @Test
        void closingReleasesTheOtherParts() {
            Decision decision = storage.decide(List.of(seats.charge("key"), pool.charge("key"), window.charge("key")));
            kept.addAll(List.of(seats, window));

            assertThatThrownBy(decision::close).isInstanceOf(IllegalStateException.class);

            assertThat(isFree(pool)).isTrue();
        }
    }

    @Nested
    class InMemory extends Contract {}

    @Nested
    class Elsewhere extends Contract {

        private final RemoteStorageView elsewhere = new RemoteStorageView(unreturnable);

        @BeforeEach
        void useIt() {
            storage = elsewhere;
            room = new VirtualWaiting(elsewhere, time);
        }

        @Test
        void lateGrantOfAHeadThatLeftBlocksNoRequestBehindIt() {
            Rule two = Rule.of("two", Limit.concurrency(2));
            Decision held = shared.decide(two, "key", 2);
            Request first = room.waiter(waits(two));
            Request second = room.waiter(waits(two));
            held.close();
            elsewhere.withhold();
            room.advance(Duration.ofMillis(25));
            first.cancel();
            kept.add(two);
            elsewhere.replyIn(Runnable::run);

            elsewhere.reply();
            elsewhere.reply();

            assertThat(second.isPermitted()).isTrue();
        }

        @Test
        void lateGrantOfARequestThatLeftFailsNoOther() {
            elsewhere.withhold();
            Request request = room.waiter(waits(pool));
            request.cancel();
            kept.add(pool);

            elsewhere.reply();

            assertThat(room.limiters.waiting()).isZero();
        }
    }

    /** Closing closes the storage even if something else fails. */
    @Test
    void storageIsClosedThoughItFailsToRemoveAListener() {
        FailingReturnStorage storage = new FailingReturnStorage(new ThrowingAtRemoval(), rule -> false);
        RateLimiters limiters = new RateLimiters(storage);

        assertThatThrownBy(limiters::close).hasMessage("cannot forget");

        assertThat(storage.closed).isTrue();
    }

    private static final class ThrowingAtRemoval extends DelegatingStorage {

        ThrowingAtRemoval() {
            super(new InMemoryRateLimiterStorage(new RateLimiterFactory(), new VirtualTime(), 1000));
        }

        @Override
        public void removeReleaseListener(ReleaseListener listener) {
            throw new IllegalStateException("cannot forget");
        }
    }
}
