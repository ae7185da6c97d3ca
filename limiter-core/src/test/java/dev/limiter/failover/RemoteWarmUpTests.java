package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The calls before the first requests. The clock advances only by the duration of each round. */
class RemoteWarmUpTests {

    private static final Duration AT_MOST = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofMillis(50);

    /** One call alone, and a batch. */
    private static final int OF_A_ROUND = 1 + RemoteWarmUp.TOGETHER;

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStorage remote = new ScriptedStorage(time);
    private final List<Rule> rules = IntStream.range(0, 100)
            .mapToObj(i -> Rule.of("rule" + i, Limit.fixedWindow(10, Duration.ofHours(1))))
            .toList();
    private final List<Charge> charges = new CopyOnWriteArrayList<>();
    private final AtomicInteger rounds = new AtomicInteger();

    @BeforeEach
    void answerInTime() {
        remote.withhold(TIMEOUT);
        remote.replyAll();
        remote.replyAtOnce();
        remote.onCall(charges::addAll);
    }

    private void warmUp(List<Rule> rules) {
        storage(time).warmUp(rules, AT_MOST);
    }

    private FailoverRateLimiterStorage storage(TimeSource clock) {
        return FailoverRateLimiterStorage.builder(
                        remote, new InMemoryRateLimiterStorage(new RateLimiterFactory(), clock, 1000))
                .timeSource(clock)
                .build();
    }

    /** Sets how many milliseconds each round takes, by its number. */
    private void take(IntUnaryOperator millis) {
        AtomicInteger callEvents = new AtomicInteger();
        remote.onCall(charges -> {
            if (callEvents.getAndIncrement() % OF_A_ROUND == 0) {
                time.advance(Duration.ofMillis(millis.applyAsInt(rounds.getAndIncrement())));
            }
        });
    }

    @Test
    void peeksAtEachRuleOnceAndChargesNothing() {
        warmUp(rules);
        List<Charge> looks = charges.stream()
                .filter(charge -> !charge.rule().equals(RemoteWarmUp.RULE))
                .toList();
        assertThat(looks).extracting(Charge::rule).containsExactlyElementsOf(rules);
        assertThat(looks).extracting(Charge::permits).containsOnly(0L);
        for (Charge look : looks) {
            assertThat(remote.shared.peek(look.rule(), look.key()).remaining()).isEqualTo(10);
        }
    }

    @Test
    void decidesUntilManyRoundsInARowAreFast() {
        warmUp(List.of());
        assertThat(remote.calls).hasValue(RemoteWarmUp.FAST_ROUNDS * OF_A_ROUND);
        assertThat(charges).extracting(Charge::rule).containsOnly(RemoteWarmUp.RULE);
    }

    @Test
    void countsTheInstanceBeforeAndAfter() {
        warmUp(List.of());
        assertThat(remote.heartbeats).containsExactly(0, RemoteWarmUp.FAST_ROUNDS * OF_A_ROUND);
    }

    @Test
    void roundsThatAreSlowDoNotCount() {
        take(round -> round < 7 ? 10 : 9);
        warmUp(List.of());
        assertThat(rounds).hasValue(7 + RemoteWarmUp.FAST_ROUNDS);
    }

    @Test
    void aSlowRoundRestartsTheCount() {
        int before = RemoteWarmUp.FAST_ROUNDS - 1;
        take(round -> round == before ? 10 : 1);
        warmUp(List.of());
        assertThat(rounds).hasValue(before + 1 + RemoteWarmUp.FAST_ROUNDS);
    }

    @Test
    void endsWhenTheTimeIsUpHoweverSlowDecisionsAre() {
        take(round -> 40);
        warmUp(List.of());
        assertThat(rounds).hasValue((int) (AT_MOST.toMillis() / 40));
    }

    @Test
    void endsWithoutAReply() {
        remote.withhold(TIMEOUT);
        storage(TimeSource.system()).warmUp(rules, Duration.ofMillis(1));
        assertThat(remote.calls).hasValueLessThanOrEqualTo(RemoteWarmUp.TOGETHER);
        assertThat(remote.shared.size()).isZero();
    }

    @Test
    void makesNoCallWithoutAConnection() {
        remote.disconnect();
        warmUp(rules);
        assertThat(remote.calls).hasValue(0);
    }

    @Test
    void endsWithTheFirstFailureAndOpensNoBreaker() {
        remote.fail("");
        FailoverRateLimiterStorage storage = storage(time);
        storage.warmUp(rules, AT_MOST);
        assertThat(remote.calls).hasValue(RemoteWarmUp.TOGETHER);
        assertThat(storage.isAvailable()).isTrue();
    }
}
