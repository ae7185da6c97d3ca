package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;

/**
 * Invalid settings fail at startup. The failure analysis lists all of them with their source and the correction. All
 * settings are covered by {@code BadConfigurationTests} of the starter.
 */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class FailingStartTests {

    /** Property, value, and part of the correction, for unreadable and for invalid values. */
    private static final List<List<String>> UNREADABLE =
            List.of(List.of("limit", "many", "a whole number"), List.of("algorithm", "magic", "token-bucket"));

    private static final List<List<String>> WRONG = List.of(
            List.of("limit", "0", "must be from 1 to"),
            List.of("window", "10M", "a whole number with one of ns us ms s m h d"),
            List.of("buckets", "5", "sliding-window-counter"),
            List.of("key", "", "Quote it"),
            List.of("key", "nonsense", "header:name"),
            List.of("key", "#user.id", "#user is unknown"),
            List.of("key", "#{name(#request)}", "is unknown"),
            List.of("cost", "#{1 +", "SpEL"),
            List.of("methods", "FETCH", "GET"));

    @Test
    void everyPropertyThatCannotBeReadIsNamedWithItsValue(CapturedOutput output) {
        assertNamed(UNREADABLE, output);
    }

    @Test
    void everyInvalidPropertyIsReportedWithItsValue(CapturedOutput output) {
        assertNamed(WRONG, output);
    }

    private static void assertNamed(List<List<String>> wrong, CapturedOutput output) {
        List<String> properties = new ArrayList<>();
        for (int i = 0; i < wrong.size(); i++) {
            String rule = "limiter.rules.rule" + i + ".";
            properties.add(rule + "paths=/orders");
            properties.add(rule + wrong.get(i).get(0) + "=" + wrong.get(i).get(1));
            if (!wrong.get(i).get(0).equals("limit")) {
                properties.add(rule + "limit=10");
            }
            if (!wrong.get(i).get(0).equals("window")) {
                properties.add(rule + "window=1s");
            }
        }
        String analysis = analysis(output, Nothing.class, properties.toArray(String[]::new));

        for (int i = 0; i < wrong.size(); i++) {
            List<String> one = wrong.get(i);
            assertThat(analysis)
                    .contains("limiter.rules.rule" + i + "." + one.get(0) + " = \"" + one.get(1) + "\"", one.get(2))
                    .contains("Action:");
        }
    }

    @Test
    void unknownPropertyIsNamed(CapturedOutput output) {
        assertThat(analysis(output, Nothing.class, "limiter.rules.orders.pathz=/a"))
                .contains("limiter.rules.orders.pathz = \"/a\"", "paths, methods", "Action:");
    }

    @Test
    void annotationThatRefersToNoRuleIsNamed(CapturedOutput output) {
        assertThat(analysis(output, RefersToNothing.class)).contains("missing", "Service.call");
    }

    private static String analysis(CapturedOutput output, Class<?> application, String... properties) {
        assertThatThrownBy(() ->
                        Applications.startWithoutWeb(application, properties).close())
                .isNotNull();
        int start = output.toString().indexOf("APPLICATION FAILED TO START");
        assertThat(start).describedAs(output.toString()).isNotNegative();
        return output.toString().substring(start);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Nothing {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(RefersToNothing.Service.class)
    static class RefersToNothing {

        static class Service {

            @RateLimiter("missing")
            public void call() {}
        }
    }
}
