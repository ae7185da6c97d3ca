package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The queue position of a key follows its state: no key stays for too long, and none leaves too early. */
class EvictionPositionTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();

    private InMemoryRateLimiterStorage storage(long maxKeys) {
        return new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, maxKeys);
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(10, MINUTE),
                Limit.leakyBucket(10, MINUTE),
                Limit.fixedWindow(10, MINUTE),
                Limit.fixedWindow(10, MINUTE).alignFirst(),
                Limit.slidingWindowCounter(10, MINUTE).buckets(1),
                Limit.slidingWindowCounter(10, MINUTE),
                Limit.slidingWindowLog(10, MINUTE));
    }

    private void forgetsEverything(InMemoryRateLimiterStorage storage) {
        time.advance(DAY.multipliedBy(40));
        storage.cleanUp();
        assertThat(storage.size()).isZero();
    }

    @Test
    void clientsThatHoldTheirOnlyPermitAreEvictableAfterRelease() {
        InMemoryRateLimiterStorage storage = storage(1000);
        Rule rule = Rule.of(
                "rule",
                Limit.tokenBucket(10, Duration.ofHours(1)),
                Limit.concurrency(1).named("at-once"));
        Deque<Decision> inFlight = new ArrayDeque<>();
        for (int client = 0; client < 20_000; client++) {
            Decision decision = storage.decide(rule, "client" + client, 1);
            assertThat(decision.permitted()).as("client %d", client).isTrue();
            inFlight.add(decision);
            time.advance(Duration.ofMillis(1));
            if (inFlight.size() > 200) {
                inFlight.remove().close();
            }
        }
        inFlight.forEach(Decision::close);
        forgetsEverything(storage);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aClientNearItsLimitIsNotEvictedByAFloodOfKeysThatUseLess(Limit limit) {
        InMemoryRateLimiterStorage storage = storage(1000);
        Rule rule = Rule.of("rule", limit);
        assertThat(storage.decide(rule, "victim", 9).permitted()).isTrue();
        Rule longer = Rule.of("longer", Limit.fixedWindow(1000, DAY));
        for (int i = 0; i < 30_000; i++) {
            storage.decide(longer, "flood" + i, 1);
        }
        assertThat(storage.decide(rule, "victim", 2).permitted()).isFalse();
        assertThat(storage.decide(rule, "victim", 1).permitted()).isTrue();
    }

    @Test
    void manyClientsNearTheirLimitsAreNotEvicted() {
        InMemoryRateLimiterStorage storage = storage(1000);
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, DAY));
        for (int i = 0; i < 990; i++) {
            storage.decide(rule, "client" + i, 9);
        }
        for (int i = 0; i < 20_000; i++) {
            storage.decide(Rule.of("flood", Limit.tokenBucket(1000, DAY)), "flood" + i, 1);
        }
        for (int i = 0; i < 990; i++) {
            assertThat(storage.decide(rule, "client" + i, 2).permitted()).isFalse();
        }
    }

    @Test
    void randomKeysDoNotResetAnAttacker() {
        InMemoryRateLimiterStorage storage = storage(100);
        Rule logins = Rule.of("logins", Limit.tokenBucket(5, MINUTE));
        Rule other = Rule.of("other", Limit.tokenBucket(1000, DAY));
        for (int i = 0; i < 200; i++) {
            storage.decide(other, "filler" + i, 1);
        }
        int permitted = 0;
        for (int i = 0; i < 10_000; i++) {
            // never at the limit, where a key is guarded
            if (storage.peek(logins, "attacker").remaining() > 1) {
                permitted += storage.decide(logins, "attacker", 1).permitted() ? 1 : 0;
            }
            storage.decide(other, "invented" + i, 1);
        }
        assertThat(permitted).isEqualTo(4);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aKeyAtItsLimitIsEvictableAfterRefunds(Limit limit) {
        InMemoryRateLimiterStorage storage = storage(50);
        Rule rule = Rule.of("rule", limit);
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            decisions.add(storage.decide(rule, "old" + i, 10));
        }
        assertThat(storage.decide(rule, "shares", 10).permitted()).isTrue();
        assertThat(storage.decide(rule, "shares too", 1).permitted()).isFalse();
        decisions.forEach(Decision::giveBack);
        for (int i = 0; i < 50; i++) {
            assertThat(storage.decide(rule, "new" + i, 10).permitted()).isTrue();
        }
        forgetsEverything(storage);
    }

    @Test
    void aKeyAtItsLimitIsEvictableAfterTheLimitIsRaised() {
        InMemoryRateLimiterStorage storage = storage(50);
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, DAY));
        Rule raised = Rule.of("rule", Limit.fixedWindow(1000, DAY));
        for (int i = 0; i < 50; i++) {
            storage.decide(rule, "old" + i, 10);
        }
        storage.decide(rule, "shares", 10);
        for (int i = 0; i < 50; i++) {
            assertThat(storage.decide(raised, "old" + i, 1).permitted()).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            assertThat(storage.decide(rule, "new" + i, 10).permitted()).isTrue();
        }
    }

    @Test
    void aResetKeyLeavesNoState() {
        InMemoryRateLimiterStorage storage = storage(100);
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, DAY));
        List<WeakReference<String>> keys = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            String key = new String("key");
            keys.add(new WeakReference<>(key));
            storage.decide(rule, key, 10);
            storage.reset(rule, key);
        }
        Memory.awaitUntil(() -> keys.stream().allMatch(key -> key.get() == null));
        assertThat(storage.size()).isZero();
        for (int i = 0; i < 100; i++) {
            assertThat(storage.decide(rule, "new" + i, 10).permitted()).isTrue();
        }
    }

    static Stream<List<Limit>> versions() {
        return Stream.of(
                List.of(Limit.tokenBucket(10, MINUTE), Limit.tokenBucket(20, MINUTE)),
                List.of(Limit.slidingWindowLog(10, MINUTE), Limit.slidingWindowLog(20, MINUTE)),
                List.of(Limit.fixedWindow(10, MINUTE), Limit.slidingWindowCounter(20, MINUTE)));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aKeyUsedUnderAlternatingVersionsExpires(List<Limit> versions) {
        InMemoryRateLimiterStorage storage = storage(100);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 64; i++) {
                storage.decide(Rule.of("rule", versions.get((i + round) % 2)), "key" + i, 1);
            }
        }
        assertThat(storage.size()).isEqualTo(64);
        forgetsEverything(storage);
    }

    @Test
    void permitsHeldUnderARemovedLimitAreNotReleasedToALimitOfTheSameName() {
        InMemoryRateLimiterStorage storage = storage(20);
        Limit rate = Limit.tokenBucket(100, MINUTE);
        Rule with = Rule.of("rule", rate, Limit.concurrency(2).named("pool"));
        Rule without = Rule.of("rule", rate);
        List<Decision> old = List.of(storage.decide(with, "key", 1), storage.decide(with, "key", 1));
        storage.decide(without, "key", 1);
        assertThat(storage.decide(with, "key", 1).permitted()).isTrue();
        assertThat(storage.decide(with, "key", 1).permitted()).isTrue();
        old.forEach(Decision::close);
        assertThat(storage.decide(with, "key", 1).permitted()).isFalse();
    }

    @Test
    void permitsOfARateAreNotReturnedToAConcurrencyLimitThatReplacesIt() {
        InMemoryRateLimiterStorage storage = storage(20);
        Decision used = storage.decide(Rule.of("rule", Limit.tokenBucket(2, MINUTE)), "key", 1);
        Rule holding = Rule.of("rule", Limit.concurrency(1));
        assertThat(storage.decide(holding, "key", 1).permitted()).isTrue();
        used.giveBack();
        assertThat(storage.decide(holding, "key", 1).permitted()).isFalse();
    }

    @Test
    void aStepOfTheClockBackDoesNotBlockAKeyBecauseAnotherOneWaited() {
        InMemoryRateLimiterStorage storage = storage(100);
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, MINUTE));
        storage.decide(rule, "patient", 10);
        storage.decide(List.of(rule.charge("patient", 10).maxWait(DAY)));
        storage.decide(rule, "other", 10);
        time.advance(Duration.ofHours(-1));
        assertThat(storage.decide(rule, "other", 1).retryAfter().orElseThrow()).isLessThanOrEqualTo(MINUTE);
    }
}
