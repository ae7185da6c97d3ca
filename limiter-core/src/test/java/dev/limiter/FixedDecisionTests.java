package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spi.FixedDecision.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Without these, clients that are banned or exempt get wrong statuses and times to retry. */
class FixedDecisionTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Rule rule = Rule.of("login", Limit.tokenBucket(5, Duration.ofMinutes(1)));

    private Decision decision(long waitNanos, Reason reason) {
        return new FixedDecision(rule, waitNanos, reason);
    }

    @Test
    void rejectsABannedKeyUntilTheBanEnds() {
        Decision banned = decision(SECOND.toNanos(), Reason.BANNED);
        assertThat(banned.permitted()).isFalse();
        assertThat(banned.retryAfter()).contains(SECOND);
        assertThat(banned.resetAfter()).isEqualTo(SECOND);
        assertThat(banned.remaining()).isZero();
        assertThat(banned.onFailure()).isEmpty();
        assertThat(banned.limits()).extracting(LimitStatus::policy).containsExactly("login");
    }

    @Test
    void permitsWithoutALimitToList() {
        Decision unlimited = decision(0, Reason.UNLIMITED);
        assertThat(unlimited.permitted()).isTrue();
        assertThat(unlimited.limits()).isEmpty();
        assertThat(unlimited.onFailure()).isEmpty();
    }

    @Test
    void neverPermitsADeniedClientAndListsNoLimit() {
        Decision denied = decision(CompiledLimit.NEVER, Reason.DENIED);
        assertThat(denied.never()).isTrue();
        assertThat(denied.retryAfter()).isEmpty();
        assertThat(denied.limits()).isEmpty();
    }

    @Test
    void hasNoRetryAfterIfTheWaitIsUnknown() {
        Decision queued = decision(CompiledLimit.UNKNOWN, Reason.QUEUED);
        assertThat(queued.permitted()).isFalse();
        assertThat(queued.never()).isFalse();
        assertThat(queued.retryAfter()).isEmpty();
        assertThat(queued.resetAfter()).isZero();
    }

    @Test
    void reportsHowItWasDecidedWithoutTheStorage() {
        Decision permitted = decision(0, Reason.UNAVAILABLE);
        assertThat(permitted.permitted()).isTrue();
        assertThat(permitted.remaining()).isEqualTo(5);
        assertThat(permitted.onFailure()).contains(OnFailure.ALLOW);
        assertThat(decision(1, Reason.UNAVAILABLE).onFailure()).contains(OnFailure.DENY);
    }

    @Test
    void rejectsANegativeWait() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decision(-1, Reason.BANNED))
                .withMessageContaining("waitNanos");
    }
}
