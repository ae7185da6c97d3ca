package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Invalid settings fail at startup. The failure analysis lists all of them with their source and the correction. All
 * settings are covered by {@code BadConfigurationTests} of the starter.
 */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class FailingStartTests {

    @Test
    void keysAndSortsOfValuesAreReported(CapturedOutput output) {
        String analysis = analysis(output, """
            limit: { paths: /orders, limit: many, window: 1s }
            other: { pathz: /orders, limit: 1, window: 1s }
            """);
        assertThat(analysis)
                .contains("limiter.rules.limit.limit = \"many\"", "a whole number", "Action:")
                .contains("limiter.rules.other.pathz = \"/orders\"", "paths, methods");
    }

    @Test
    void valuesAreReported(CapturedOutput output) {
        String analysis = analysis(output, """
            limit: { paths: /orders, limit: 0, window: 1s }
            window: { paths: /orders, limit: 1, window: 10M }
            key: { paths: /orders, limit: 1, window: 1s, key: "#user.id" }
            cost: { paths: /orders, limit: 1, window: 1s, cost: "#{1 +" }
            """);
        assertThat(analysis)
                .contains("limiter.rules.limit.limit = \"0\"", "must be from 1 to", "Action:")
                .contains("limiter.rules.window.window = \"10M\"", "a whole number with one of ns us ms s m h d")
                .contains("limiter.rules.key.key = \"#user.id\"", "#user is unknown")
                .contains("limiter.rules.cost.cost = \"#{1 +\"", "SpEL");
    }

    private static String analysis(CapturedOutput output, String rules) {
        String[] properties = Applications.limiter("rules:\n" + rules.indent(2));
        assertThatThrownBy(() ->
                        Applications.startWithoutWeb(Nothing.class, properties).close())
                .isNotNull();
        int start = output.toString().indexOf("APPLICATION FAILED TO START");
        assertThat(start).describedAs(output.toString()).isNotNegative();
        return output.toString().substring(start);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Nothing {}
}
