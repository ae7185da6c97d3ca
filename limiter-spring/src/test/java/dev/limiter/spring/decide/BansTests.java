package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.rule.RuleOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans start and end exactly as configured, and never hit unidentified clients. */
class BansTests {

    private static final RateLimitContext ANN = user("ann");
    private static final RateLimitContext NOBODY = user("");
    private static final Duration NANOSECOND = Duration.ofNanos(1);

    private final DecisionFixture fixture = new DecisionFixture();

    /** One request an hour, and a ban for a quarter of an hour after a number of rejections within a minute. */
    private static RateLimitRule banning(long after) {
        return compiled(rule("login")
                .set(RuleOptions.KEY, List.of("header:user"))
                .limit(1L, "1h", null, null, null)
                .ban(after, "1m", "15m"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 5})
    void banBeginsWithTheLastRejection(long after) {
        RateLimitRule rule = banning(after);
        assertThat(fixture.decide(ANN, rule).permitted()).isTrue();
        assertThat(fixture.reported()).containsExactly("login permitted");
        for (int rejection = 1; rejection <= after; rejection++) {
            assertThat(fixture.begunBans()).isEmpty();
            assertThat(fixture.decide(ANN, rule).permitted()).isFalse();
            assertThat(fixture.reported()).containsExactly("login rejected");
        }
        assertThat(fixture.begunBans()).containsExactly("login");
        assertThat(fixture.decide(ANN, rule).permitted()).isFalse();
        assertThat(fixture.reported()).containsExactly("login banned");
        assertThat(fixture.decide(user("ben"), rule).permitted()).isTrue();
    }

    @Test
    void rejectionsDoNotProlongABan() {
        RateLimitRule rule = banned();
        fixture.pass(Duration.ofMinutes(14));
        Verdict rejected = fixture.decide(ANN, rule);
        assertThat(rejected.decision())
                .isInstanceOfSatisfying(
                        FixedDecision.class, fixed -> assertThat(fixed.reason()).isEqualTo(FixedDecision.Reason.BANNED))
                .satisfies(decision -> assertThat(decision.retryAfter()).contains(Duration.ofMinutes(1)));

        fixture.pass(Duration.ofMinutes(1).minus(NANOSECOND));
        fixture.reported();
        fixture.decide(ANN, rule);
        assertThat(fixture.reported()).containsExactly("login banned");
        fixture.pass(NANOSECOND);
        fixture.decide(ANN, rule);
        assertThat(fixture.reported()).containsExactly("login rejected");
    }

    @Test
    void banTakesNoPermitsOfTheRule() {
        RateLimitRule rule = compiled(rule("login")
                .set(RuleOptions.KEY, List.of("header:user"))
                .limit(5L, "1h", null, null, null)
                .ban(3L, "1m", "15m"));
        fixture.decider.ban(rule, rule.key(ANN));
        fixture.decide(ANN, rule);
        assertThat(fixture.reported()).containsExactly("login banned");
        assertThat(fixture.remaining(rule, ANN)).isEqualTo(5);
    }

    @Test
    void rejectionsOfLongAgoDoNotCount() {
        RateLimitRule rule = banning(2);
        fixture.decide(ANN, rule);
        for (int i = 0; i < 5; i++) {
            fixture.decide(ANN, rule);
            fixture.pass(Duration.ofMinutes(1));
        }
        assertThat(fixture.begunBans()).isEmpty();
        assertThat(fixture.reported()).endsWith("login rejected").doesNotContain("login banned");
    }

    @Test
    void keyOfUnidentifiedClientsIsNeverBanned() {
        RateLimitRule rule = banning(1);
        for (int i = 0; i < 5; i++) {
            fixture.decide(NOBODY, rule);
        }
        assertThat(fixture.begunBans()).isEmpty();
        assertThat(fixture.reported()).endsWith("login rejected").doesNotContain("login banned");
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.decider.ban(rule, rule.key(NOBODY)));
    }

    @Test
    void banByAnOperatorIsReportedOnce() {
        RateLimitRule rule = banning(9);
        ResolvedKey key = rule.key(ANN);
        fixture.decider.ban(rule, key);
        fixture.decider.ban(rule, key);
        assertThat(fixture.begunBans()).containsExactly("login");
        assertThat(fixture.decide(ANN, rule).permitted()).isFalse();
    }

    /** Keys in the overflow state share it, so one client could ban the others. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noKeyIsBannedWhereThereIsNoRoom(boolean blocking) {
        RateLimitRule rule = banning(3);
        fixture.decide(ANN, rule);
        fixture.leaveRoomFor(0);
        for (int i = 0; i < 20; i++) {
            decide(user("new" + i), rule, blocking);
            decide(ANN, rule, blocking);
        }
        assertThat(fixture.begunBans()).isEmpty();
        assertThat(fixture.reported()).contains("login rejected").doesNotContain("login banned");
    }

    /** The count of rejections takes the last free state. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noBanBeginsThatThereIsNoRoomFor(boolean blocking) {
        RateLimitRule rule = banning(1);
        fixture.decide(ANN, rule);
        fixture.leaveRoomFor(1);
        for (int i = 0; i < 3; i++) {
            decide(ANN, rule, blocking);
        }
        assertThat(fixture.begunBans()).isEmpty();
        assertThat(fixture.reported()).contains("login rejected").doesNotContain("login banned");
    }

    @Test
    void banOfAnOperatorFailsWhereThereIsNoRoom() {
        RateLimitRule rule = banning(9);
        fixture.leaveRoomFor(0);
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageUnavailableException.class)
                    .isThrownBy(() -> fixture.decider.ban(rule, rule.key(ANN)))
                    .withMessageContaining("limiter.max-keys");
        }
        assertThat(fixture.begunBans()).isEmpty();
        assertThat(fixture.decide(user("ben"), rule).permitted()).isTrue();
    }

    private void decide(RateLimitContext request, RateLimitRule rule, boolean blocking) {
        if (blocking) {
            fixture.decide(request, rule);
        } else {
            fixture.decider
                    .decideLater(ApplicableRules.of(List.of(rule)), same -> request)
                    .join();
        }
    }

    private RateLimitRule banned() {
        RateLimitRule rule = banning(1);
        fixture.decide(ANN, rule);
        fixture.decide(ANN, rule);
        assertThat(fixture.begunBans()).hasSize(1);
        return rule;
    }
}
