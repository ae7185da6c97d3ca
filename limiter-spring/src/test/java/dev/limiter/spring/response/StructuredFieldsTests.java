package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.spring.response.StructuredFields.Item;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields, parsed by an independent RFC 9651 parser. */
class StructuredFieldsTests {

    private static final long MAX_INTEGER = 999_999_999_999_999L;
    private static final String CHARACTERS = "abzAZ09-_. \"\\\\\"\"(){};,=?'*@\t\r\n\u0000\u007f\u00e9\u4e2d";
    private static final long[] LIMITS = {1, 2, 1000, MAX_INTEGER - 1, MAX_INTEGER, Limit.MAX_PERMITS};
    private static final Duration[] TIMES = {
        Duration.ZERO,
        Duration.ofNanos(1),
        Duration.ofNanos(999_999_999),
        Duration.ofSeconds(1),
        Duration.ofSeconds(1, 1),
        Duration.ofHours(1),
        Limit.MAX_WINDOW
    };

    @Test
    void theContractsExampleMeansWhatItShould() {
        assertThat(StructuredFields.list("\"orders-burst\";q=10;w=1, \"orders-hourly\";q=1000;w=3600"))
                .containsExactly(
                        new Item("orders-burst", Map.of("q", 10L, "w", 1L)),
                        new Item("orders-hourly", Map.of("q", 1000L, "w", 3600L)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"a",
                "\"a\\b\"",
                "\"\u00e9\"",
                "\"a\" \"b\"",
                "\"a\",",
                "\"a\";Q=1",
                "\"a\";q=",
                "\"a\";q=1000000000000000",
                "\"a\";q=1.5",
                "\"a\";q=1;q=2",
                "\"a\" ;q=1",
                "\"a\"\n"
            })
    void theParserIsStrict(String field) {
        assertThatIllegalArgumentException().isThrownBy(() -> StructuredFields.list(field));
    }

    @Test
    void randomPoliciesAreReadAsTheyWere() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            List<LimitStatus> statuses = IntStream.rangeClosed(0, random.nextInt(4))
                    .mapToObj(i -> status(random))
                    .toList();

            assertThat(StructuredFields.list(text(statuses).policies()))
                    .describedAs("Policies, seed %s, round %s", seed, round)
                    .containsExactlyElementsOf(
                            statuses.stream().map(StructuredFieldsTests::policy).toList());
            assertThat(StructuredFields.list(available(statuses)))
                    .describedAs("Remaining, seed %s, round %s", seed, round)
                    .containsExactlyElementsOf(statuses.stream()
                            .map(StructuredFieldsTests::remaining)
                            .toList());
        }
    }

    /** In exact arithmetic: never too early, and less than a second late. */
    @Test
    void secondsAreNeverEarlierThanTheTruth() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 100_000; round++) {
            Duration exact = time(random);

            Duration sent = Duration.ofSeconds(FieldMembers.secondsRoundedUp(exact));

            assertThat(sent)
                    .describedAs("%s, seed %s", exact, seed)
                    .isGreaterThanOrEqualTo(exact)
                    .isLessThan(exact.plusSeconds(1));
        }
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

    private static Item policy(LimitStatus status) {
        long quota = Math.min(status.limit().limit(), MAX_INTEGER);
        return status.limit() instanceof Limit.Concurrency
                ? new Item(asciiOnly(status.policy()), Map.of("q", quota, "qu", "concurrent-requests"))
                : new Item(
                        asciiOnly(status.policy()),
                        Map.of("q", quota, "w", seconds(status.limit().window())));
    }

    private static Item remaining(LimitStatus status) {
        long remaining = Math.min(status.remaining(), MAX_INTEGER);
        return status.limit() instanceof Limit.Concurrency
                ? new Item(asciiOnly(status.policy()), Map.of("r", remaining))
                : new Item(
                        asciiOnly(status.policy()),
                        Map.of(
                                "r",
                                remaining,
                                "t",
                                seconds(
                                        status.permitted()
                                                ? status.resetAfter()
                                                : status.retryAfter().orElseThrow())));
    }

    private static long seconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    private static String asciiOnly(String policy) {
        return PolicyText.nameOf(policy).replaceAll("[^ -~]", "?");
    }

    private static LimitStatus status(Random random) {
        StringBuilder name = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            name.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        long permits = random.nextBoolean() ? LIMITS[random.nextInt(LIMITS.length)] : 1 + random.nextLong(MAX_INTEGER);
        Duration window = time(random).plusNanos(1);
        Limit limit = random.nextInt(5) == 0
                ? Limit.concurrency(permits)
                : Limit.fixedWindow(permits, window.compareTo(Limit.MAX_WINDOW) > 0 ? Limit.MAX_WINDOW : window);
        boolean permitted = random.nextBoolean();
        return new LimitStatus(
                name.toString(),
                limit,
                permitted,
                permitted ? random.nextLong(permits + 1) : 0,
                permitted ? Optional.empty() : Optional.of(time(random)),
                time(random));
    }

    private static Duration time(Random random) {
        return random.nextBoolean()
                ? TIMES[random.nextInt(TIMES.length)]
                : Duration.ofNanos(random.nextLong(Limit.MAX_WINDOW.toNanos()));
    }
}
