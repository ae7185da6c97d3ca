package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.DelegatingDecision;
import dev.limiter.spi.ReleaseListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A storage that cannot take permits back fails only the request that returns them. */
class FailedReturnTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final Set<Rule> kept = ConcurrentHashMap.newKeySet();
    private final RateLimiterStorage storage = new Unreturning(shared);
    private final VirtualWaiting room = new VirtualWaiting(storage, time);
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule window = Rule.of("window", Limit.fixedWindow(1, SECOND));
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule seats = Rule.of("seats", Limit.concurrency(1));

    /** Throws when permits of some rules are returned or released, and keeps them. */
    private final class Unreturning extends DelegatingStorage {

        Unreturning(RateLimiterStorage storage) {
            super(storage);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            return AbstractDecision.allOf(super.decide(charges).parts().stream()
                    .map(Unreturnable::new)
                    .toList());
        }
    }

    private final class Unreturnable extends DelegatingDecision {

        Unreturnable(Decision decision) {
            super(decision);
        }

        private void check() {
            if (permitted() && kept.contains(rule())) {
                throw new IllegalStateException("cannot take back " + rule().name());
            }
        }

        @Override
        public void giveBack() {
            check();
            decision.giveBack();
        }

        @Override
        public void close() {
            check();
            decision.close();
        }
    }

    private static Charge waits(Rule rule) {
        return rule.charge("key").maxWait(HOUR);
    }

    private void take(Rule rule) {
        assertThat(shared.decide(rule, "key", 1).permitted()).isTrue();
    }

    private boolean isFree(Rule rule) {
        return shared.peek(rule, "key").permitted();
    }

    private static void assertFailed(Request request, Rule rule) {
        assertThat(request.waits()).isFalse();
        assertThat(request.failure()).hasMessage("cannot take back " + rule.name());
    }

    @Test
    void closingCompletesAllRequestsAndCountsNone() {
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
        room.limiters.startWaiting();
        assertThat(room.limiters.mayWait(waits(paced).maxWaiting(1))).isTrue();
    }

    @Test
    void turnsOfOtherRulesAreReturned() {
        take(paced);
        take(window);
        Request request = room.waiter(waits(paced), waits(window));
        kept.add(paced);
        request.cancel();
        assertThat(room.limiters.waiting()).isZero();
        time.advance(SECOND);
        assertThat(isFree(window)).isTrue();
        assertThat(isFree(paced)).isFalse();
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
    void otherPartsAreReturnedAndReleased() {
        Decision decision = storage.decide(List.of(window.charge("key"), pool.charge("key")));
        kept.add(window);
        assertThatThrownBy(decision::giveBack).hasMessage("cannot take back window");
        assertThat(isFree(pool)).isTrue();
        kept.clear();
        time.advance(SECOND);
        Decision held = storage.decide(List.of(seats.charge("key"), pool.charge("key"), window.charge("key")));
        kept.addAll(List.of(seats, window));
        assertThatThrownBy(held::close).isInstanceOf(IllegalStateException.class);
        assertThat(isFree(pool)).isTrue();
    }

    @Test
    void lateGrantOfAHeadThatLeftBlocksNoRequestBehindIt() {
        RemoteStorageView elsewhere = new RemoteStorageView(storage);
        VirtualWaiting remote = new VirtualWaiting(elsewhere, time);
        Rule two = Rule.of("two", Limit.concurrency(2));
        Decision held = shared.decide(two, "key", 2);
        Request first = remote.waiter(waits(two));
        Request second = remote.waiter(waits(two));
        held.close();
        elsewhere.withhold();
        remote.advance(Duration.ofMillis(25));
        first.cancel();
        kept.add(two);
        elsewhere.replyIn(Runnable::run);
        elsewhere.reply();
        elsewhere.reply();
        assertThat(second.isPermitted()).isTrue();
    }

    @Test
    void storageIsClosedThoughItFailsToRemoveAListener() {
        boolean[] closed = {false};
        RateLimiters limiters = new RateLimiters(new DelegatingStorage(shared) {
            @Override
            public void removeReleaseListener(ReleaseListener listener) {
                throw new IllegalStateException("cannot forget");
            }

            @Override
            public void close() {
                closed[0] = true;
            }
        });
        assertThatThrownBy(limiters::close).hasMessage("cannot forget");
        assertThat(closed[0]).isTrue();
    }
}
