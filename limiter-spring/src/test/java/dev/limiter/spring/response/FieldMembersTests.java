package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldMembersTests {

    @Test
    void listsEachPolicyAsInTheContract() {
        List<LimitStatus> statuses = List.of(
                rejected("orders-burst", 10, Duration.ofSeconds(1), Duration.ofMillis(11_001)),
                permitted("orders-hourly", 1000, Duration.ofHours(1), 512, Duration.ofMinutes(10)));

        assertThat(text(statuses).policies()).isEqualTo("\"orders-burst\";q=10;w=1, \"orders-hourly\";q=1000;w=3600");
        assertThat(available(statuses)).isEqualTo("\"orders-burst\";r=0;t=12, \"orders-hourly\";r=512;t=1844");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "a\"b,    \"a\\\"b\"",
                "a\\b,    \"a\\\\b\"",
                "GET /a,  \"GET /a\"",
                "Größe.é, \"?\"",
            })
    void quotesNames(String name, String quoted) {
        LimitStatus status = permitted(name, 1, Duration.ofSeconds(1), 0, Duration.ZERO);

        assertThat(available(List.of(status))).isEqualTo(quoted + ";r=0;t=1");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0", "PT0.000000001S, 1", "PT1S, 1", "PT1.000000001S, 2", "PT0.1S, 1"})
    void roundsSecondsUp(Duration duration, long seconds) {
        assertThat(FieldMembers.secondsRoundedUp(duration)).isEqualTo(seconds);
    }

    @Test
    void keepsToTheRangeOfStructuredIntegers() {
        LimitStatus status = permitted("x", Limit.MAX_PERMITS, Duration.ofDays(1), Limit.MAX_PERMITS, Duration.ZERO);

        assertThat(text(List.of(status)).policies()).isEqualTo("\"x\";q=999999999999999;w=86400");
        assertThat(available(List.of(status))).isEqualTo("\"x\";r=999999999999999;t=86400");
    }

    @Test
    void tellsTheCostAndOtherNamesInTheNextDraft() {
        LimitStatus status = permitted("x", 10, Duration.ofSeconds(10), 4, Duration.ofSeconds(6));
        StringBuilder field = new StringBuilder();
        Charge charge = Rule.of("x", status.limit()).charge("alice", 3);
        text(List.of(status)).appendAvailable(field, FieldNames.NEXT, List.of(status), charge);

        assertThat(field).hasToString("\"x\";a=4;w=4;c=3");
    }

    static PolicyText text(List<LimitStatus> statuses) {
        return PolicyText.of(
                statuses.stream().map(LimitStatus::policy).toList(),
                statuses.stream().map(LimitStatus::limit).toList());
    }

    static String available(List<LimitStatus> statuses) {
        StringBuilder field = new StringBuilder();
        text(statuses).appendAvailable(field, FieldNames.DRAFT, statuses, null);
        return field.toString();
    }

    private static LimitStatus rejected(String policy, long limit, Duration window, Duration retryAfter) {
        return new LimitStatus(
                policy, Limit.tokenBucket(limit, window), false, 0, Optional.of(retryAfter), Duration.ofDays(2));
    }

    private static LimitStatus permitted(
            String policy, long limit, Duration window, long remaining, Duration resetAfter) {
        return new LimitStatus(policy, Limit.tokenBucket(limit, window), true, remaining, Optional.empty(), resetAfter);
    }
}
