package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each rule and key of a waiting request grants its permits at its own turn: a wait for one of them withholds nothing
 * of another from other requests.
 */
class TurnsOfSeveralRulesContractTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime(VirtualTime.START - VirtualTime.START % SECOND.toNanos());
    private final RateLimiters limiters = TestedStorage.limiters(time);

    /** One request of a user is permitted every ten seconds. */
    private final Rule mails =
            Rule.of("mails", Limit.leakyBucket(6, Duration.ofMinutes(1)).paced());

    private Decision decide(Charge... charges) {
        return limiters.storage().decide(List.of(charges));
    }

    private Decision mail(String user, Charge other) {
        Decision decision = decide(mails.charge(user).maxWait(LONG), other);
        assertThat(decision.permitted()).isTrue();
        return decision;
    }

    static Stream<Limit> shared() {
        return Stream.of(
                Limit.tokenBucket(100, SECOND),
                Limit.tokenBucket(100, SECOND).burst(3),
                Limit.tokenBucket(100, SECOND).warmUp(SECOND),
                Limit.leakyBucket(100, SECOND),
                Limit.leakyBucket(100, SECOND).paced(),
                Limit.fixedWindow(100, SECOND),
                Limit.fixedWindow(100, SECOND).alignFirst(),
                Limit.slidingWindowCounter(100, SECOND),
                Limit.slidingWindowLog(100, SECOND),
                Limit.concurrency(100));
    }

    static Stream<Rule> sharedRules() {
        return Stream.concat(
                shared().map(limit -> Rule.of("site", limit)),
                shared().map(limit -> Rule.of(
                        "site",
                        limit,
                        Limit.fixedWindow(1000, SECOND.multipliedBy(2)).named("more"))));
    }

    @ParameterizedTest
    @MethodSource("sharedRules")
    void theWaitOfOneClientTakesNothingOfASharedLimit(Rule site) {
        mail("alice", site.charge());
        time.advance(TENTH);
        assertThat(mail("alice", site.charge()).delay())
                .isEqualTo(Duration.ofSeconds(10).minus(TENTH));
        time.advance(TENTH);
        for (int i = 0; i < 5; i++) {
            assertThat(decide(site.charge()).permitted()).isTrue();
            time.advance(TENTH);
        }
    }

    @Test
    void requestWaitsForTheLastOfItsTurns() {
        Rule site = Rule.of("site", Limit.leakyBucket(1, SECOND).paced().burst(100));
        mail("alice", site.charge());
        Decision both = mail("alice", site.charge().maxWait(LONG));
        assertThat(both.delay()).isEqualTo(Duration.ofSeconds(10));
        assertThat(both.parts()).extracting(Decision::delay).containsExactly(Duration.ofSeconds(10), SECOND);
        assertThat(decide(site.charge().maxWait(LONG)).delay()).isEqualTo(SECOND.multipliedBy(2));
        assertThat(mail("bob", site.charge().maxWait(LONG)).delay()).isEqualTo(SECOND.multipliedBy(3));
    }

    /** The limits of one rule wait for each other, because later requests of the rule wait behind this one anyway. */
    @Test
    void limitsOfOneRuleShareOneTurn() {
        Rule both = Rule.of(
                "both",
                Limit.leakyBucket(6, Duration.ofMinutes(1)).paced().named("mails"),
                Limit.tokenBucket(1, SECOND).named("rate"));
        decide(both.charge("alice"));
        assertThat(decide(both.charge("alice").maxWait(LONG)).delay()).isEqualTo(Duration.ofSeconds(10));
        time.advance(SECOND);
        assertThat(limiters.peek(both, "alice").limits().get(1).retryAfter()).contains(Duration.ofSeconds(10));
    }

    /** Two seconds of turns of the shared limit, taken by users that each wait that long for another rule. */
    @Test
    void permitsOfALimitMatchItsTurnsWithinTheLongestWaitOfOthers() {
        Rule site = Rule.of("site", Limit.leakyBucket(10, SECOND).paced().burst(100));
        Rule user = Rule.of("user", Limit.leakyBucket(1, SECOND.multipliedBy(2)).paced());
        List<Long> departures = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String name = "user" + i;
            decide(user.charge(name));
            Decision decision =
                    decide(user.charge(name).maxWait(LONG), site.charge().maxWait(LONG));
            assertThat(decision.permitted()).isTrue();
            departures.add(time.now() + decision.delay().toNanos());
        }
        long turn = time.now() + SECOND.multipliedBy(2).toNanos();
        assertThat(departures.stream().filter(departure -> departure == turn)).hasSize(21);
        assertThat(departures.get(29)).isEqualTo(time.now() + SECOND.toNanos() / 10 * 29);
    }
}
