package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
import dev.limiter.spring.compile.Rules;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The start of fixed windows. Invalid settings are covered by {@link BadConfigurationTests}. */
class AlignmentTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LimiterRulesAutoConfiguration.class,
                    LimiterAutoConfiguration.class,
                    LimiterMethodAutoConfiguration.class));

    static Stream<Arguments> alignments() {
        Limit.FixedWindow day = Limit.fixedWindow(5, Duration.ofDays(1));
        return Stream.of(
                arguments("1d", null, null, day),
                arguments("1d", "epoch", null, day),
                arguments("1d", "EPOCH", null, day),
                arguments(
                        "10s",
                        "first",
                        null,
                        Limit.fixedWindow(5, Duration.ofSeconds(10)).alignFirst()),
                arguments("1d", "calendar", null, calendar(Period.ofDays(1), ZoneOffset.UTC)),
                arguments("1d", "Calendar", "UTC", calendar(Period.ofDays(1), ZoneId.of("UTC"))),
                arguments("P1D", "calendar", "Europe/Berlin", calendar(Period.ofDays(1), ZoneId.of("Europe/Berlin"))),
                arguments("7d", "calendar", "Asia/Kolkata", calendar(Period.ofDays(7), ZoneId.of("Asia/Kolkata"))),
                arguments("P7D", "calendar", null, calendar(Period.ofDays(7), ZoneOffset.UTC)),
                arguments("P1W", "calendar", null, calendar(Period.ofDays(7), ZoneOffset.UTC)),
                arguments("1mo", "calendar", "+02:00", calendar(Period.ofMonths(1), ZoneOffset.ofHours(2))),
                arguments("P1M", "calendar", " Z ", calendar(Period.ofMonths(1), ZoneOffset.UTC)));
    }

    private static Limit calendar(Period period, ZoneId zone) {
        return Limit.calendarWindow(5, period, zone);
    }

    @ParameterizedTest
    @MethodSource("alignments")
    void isBoundOnEachSortOfLimit(String window, String align, String zone, Limit expected) {
        ApplicationContextRunner configured = runner;
        for (String prefix :
                new String[] {"limiter.rules.inline.", "limiter.rules.named.limits.one.", "limiter.web.default-limit."
                }) {
            configured = configured.withPropertyValues(
                    prefix + "limit=5", prefix + "algorithm=fixed-window", prefix + "window=" + window);
            configured = align == null ? configured : configured.withPropertyValues(prefix + "align=" + align);
            configured = zone == null ? configured : configured.withPropertyValues(prefix + "zone=" + zone);
        }
        configured.run(context -> {
            Rules rules = context.getBean(Rules.class);
            assertThat(rules.current().find("inline").orElseThrow().rule().limits())
                    .containsExactly(expected);
            assertThat(rules.current().find("named").orElseThrow().rule().limits())
                    .containsExactly(expected.named("one"));
            assertThat(rules.current().defaultLimit().orElseThrow().rule().limits())
                    .containsExactly(expected);
        });
    }
}
