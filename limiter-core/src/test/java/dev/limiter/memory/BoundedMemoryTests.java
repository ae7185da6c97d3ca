package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.spi.AbstractDecision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The use of memory is bounded, and a flood of keys does not reset a client at its limit. */
class BoundedMemoryTests {

    private static final int MAX_KEYS = 2000;
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final long TICK = 1L << 27;

    private final VirtualTime time = new VirtualTime();
    private final InMemoryRateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, MAX_KEYS);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(10, WINDOW),
                Limit.leakyBucket(10, WINDOW),
                Limit.fixedWindow(10, WINDOW),
                Limit.slidingWindowCounter(10, WINDOW).buckets(1),
                Limit.slidingWindowCounter(10, WINDOW),
                Limit.slidingWindowLog(10, WINDOW));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void floodDoesNotResetAClientAtItsLimit(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        assertThat(storage.decide(rule, "victim", 10).permitted()).isTrue();
        for (int i = 0; i < 3 * MAX_KEYS; i++) {
            assertThat(storage.decide(rule, "flood" + i, 1).permitted()).isTrue();
            if (i % 100 == 0) {
                assertThat(storage.decide(rule, "victim", 1).permitted()).isFalse();
                time.advance(1);
            }
        }
        assertThat(storage.decide(rule, "victim", 1).permitted()).isFalse();
        assertThat((double) storage.size()).isCloseTo(MAX_KEYS, within(0.01 * MAX_KEYS));
        assertThat(storage.evicted()).isGreaterThan(MAX_KEYS);
        assertThat(storage.expired()).isZero();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void newKeysShareAStateWhenAllAreAtTheirLimit(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        for (int i = 0; i < MAX_KEYS; i++) {
            storage.decide(rule, "key" + i, 10);
        }
        // keys that came before all others were examined have their own state, the others the ten permits of the shared
        // one
        long granted = 0;
        for (int i = 0; i < MAX_KEYS; i++) {
            granted += storage.decide(rule, "new" + i, 10).permitted() ? 10 : 0;
            granted += storage.decide(rule, "newer" + i, 1).permitted() ? 1 : 0;
        }
        assertThat(granted).isBetween(10L, 10L + 11 * MAX_KEYS / 100);
        Decision shared = storage.decide(rule, "newest", 1);
        assertThat(shared.permitted()).isFalse();
        Decision outage = AbstractDecision.onFailure(OnFailure.LOCAL, rule, shared);
        assertThat(List.of(
                        shared,
                        AbstractDecision.allOf(List.of(shared, shared)),
                        outage,
                        storage.peek(rule, "newest"),
                        storage.decide(rule, "newest", 2)))
                .map(AbstractDecision::of)
                .allMatch(AbstractDecision::sharesState);
        for (int i = 0; i < MAX_KEYS; i++) {
            Decision own = storage.decide(rule, "key" + i, 1);
            assertThat(own.permitted()).isFalse();
            assertThat(AbstractDecision.of(own).sharesState()).isFalse();
        }
        assertThat((double) storage.size()).isCloseTo(MAX_KEYS, within(0.01 * MAX_KEYS));
        time.advance(3 * WINDOW.toNanos());
        for (int i = 0; i < 100; i++) {
            assertThat(storage.decide(rule, "later" + i, 10).permitted()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noneOfFewKeysIsEvictedEarly(Limit limit) {
        InMemoryRateLimiterStorage few = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
        Rule rule = Rule.of("rule", limit);
        for (int i = 0; i < 100; i++) {
            few.decide(rule, "key" + i, 10);
        }
        assertThat(few.peek(rule, "new").permitted()).isTrue();
        assertThat(few.decide(rule, "new", 10).permitted()).isTrue();
        Decision peeked = few.peek(rule, "newer");
        assertThat(peeked.permitted()).isFalse();
        Decision rejected = few.decide(rule, "newer", 1);
        assertThat(rejected.permitted()).isFalse();
        assertThat(peeked.retryAfter()).isEqualTo(rejected.retryAfter());
        assertThat(few.size()).isEqualTo(100);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void ofFewKeysTheLeastUsedIsEvictedFirst(Limit limit) {
        InMemoryRateLimiterStorage few = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
        Rule rule = Rule.of("rule", limit);
        for (int i = 0; i < 92; i++) {
            few.decide(rule, "busy" + i, 9);
        }
        for (int used = 1; used <= 8; used++) {
            few.decide(rule, "key" + used, used);
        }
        for (int used = 1; used <= 7; used++) {
            few.decide(rule, "another" + used, 9);
            for (int left = used + 1; left <= 8; left++) {
                assertThat(few.peek(rule, "key" + left).remaining())
                        .as("key%d after %d have left", left, used)
                        .isEqualTo(10 - left);
            }
        }
    }

    @Test
    void knownKeysAreNotAffectedByAFullStorage() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, WINDOW));
        for (int i = 0; i < MAX_KEYS; i++) {
            storage.decide(rule, "key" + i, 10);
        }
        time.advance(WINDOW);
        for (int i = 0; i < MAX_KEYS; i++) {
            assertThat(storage.decide(rule, "key" + i, 10).permitted()).isTrue();
        }
        assertThat(storage.decide(rule, "new", 1).permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void expiryRemovesOnlyStatesThatAreDue(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        Duration reset = storage.decide(rule, "early", 10).resetAfter();
        time.advance(reset.dividedBy(2));
        Duration later = storage.decide(rule, "late", 10).resetAfter();
        time.advance(reset.minus(reset.dividedBy(2)).plusNanos(TICK));
        storage.cleanUp();
        if (limit.algorithm() != dev.limiter.Algorithm.FIXED_WINDOW) {
            assertThat(storage.size()).isEqualTo(1);
            assertThat(storage.decide(rule, "late", 10).permitted()).isFalse();
        }
        time.advance(later.plusNanos(TICK));
        storage.cleanUp();
        assertThat(storage.size()).isZero();
        assertThat(storage.expired()).isEqualTo(2);
        assertThat(storage.evicted()).isZero();
    }

    @Test
    void stateThatIsUsedBeforeItsExpiryStays() {
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(10, WINDOW));
        for (int i = 0; i < 100; i++) {
            assertThat(storage.decide(rule, "key", 1).permitted()).isTrue();
            time.advance(WINDOW.dividedBy(8));
            storage.cleanUp();
            assertThat(storage.size()).isEqualTo(1);
        }
    }

    @Test
    void newKeysExpireOldOnesWithoutCleaning() {
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(10, Duration.ofSeconds(1)));
        for (int i = 0; i < 20_000; i++) {
            storage.decide(rule, "key" + i, 1);
            time.advance(Duration.ofMillis(10));
        }
        assertThat(storage.size()).isLessThan(150);
        assertThat(storage.evicted()).isZero();
    }

    @Test
    void rulesCreatedPerRequestKeepUsedPermits() {
        for (int i = 0; i < 25_000; i++) {
            Decision decision = storage.decide(Rule.of("rule", Limit.fixedWindow(100_000 + i, WINDOW)), "key", 1);
            assertThat(decision.remaining()).isEqualTo(100_000 - 1);
        }
        assertThat(storage.size()).isEqualTo(1);
        Rule last = Rule.of("rule", Limit.fixedWindow(125_000, WINDOW));
        Decision early = storage.decide(last, "key", 1);
        for (int i = 0; i < 11_000; i++) {
            storage.peek(Rule.of("other", Limit.fixedWindow(1 + i, WINDOW)), "key");
        }
        early.giveBack();
        assertThat(storage.decide(last, "key", 0).remaining()).isEqualTo(100_000);
    }

    @Test
    void namesOfUnusedRulesAreRemovedWithoutCleaning() {
        for (int i = 0; i < 11_000; i++) {
            storage.peek(Rule.of("former" + i, Limit.fixedWindow(1, WINDOW)), "key");
        }
        AtomicInteger next = new AtomicInteger();
        Memory.awaitUntil(() -> {
            storage.peek(Rule.of("later" + next.incrementAndGet(), Limit.fixedWindow(1, WINDOW)), "key");
            return storage.names() < 2_000;
        });
    }

    @Test
    void aSingleKeyIsEnoughRoom() {
        InMemoryRateLimiterStorage tiny = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1);
        Rule rule = Rule.of("rule", Limit.tokenBucket(2, WINDOW));
        tiny.decide(rule, "victim", 2);
        for (int i = 0; i < 100; i++) {
            tiny.decide(rule, "key" + i, 1);
            assertThat(tiny.decide(rule, "victim", 1).permitted()).isFalse();
        }
        assertThat(tiny.size()).isEqualTo(1);
    }
}
