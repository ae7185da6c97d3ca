package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;

/** A wrong setting stops the start, and the failure analysis names it, its place and the correction. */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class FailingStartTests {

    private static final String ORDERS = "limiter.rules.orders.";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // property | value | what is said about what would be right
                "limit     | 0                  | must be from 1 to",
                "limit     | many               | a whole number",
                "window    | 10                 | a whole number with one of ns us ms s m h d",
                "window    | 10M                | a whole number with one of ns us ms s m h d",
                "algorithm | magic              | token-bucket",
                "buckets   | 5                  | sliding-window-counter",
                "key       | ''                 | Quote it",
                "key       | nonsense           | header:name",
                "key       | #user.id           | #user is unknown",
                "key       | '#{name(#request)}'| is unknown",
                "cost      | '#{1 +'            | SpEL",
                "methods   | FETCH              | GET",
                "pathz     | /a                 | paths, methods",
            })
    void badPropertyIsNamedWithItsValue(String property, String value, String right, CapturedOutput output) {
        Map<String, String> properties = orders();
        properties.put(ORDERS + property, value);

        assertStartFails(Nothing.class, properties);

        assertThat(analysis(output)).contains(ORDERS + property + " = \"" + value + "\"", right, "Action:");
    }

    @Test
    void inlineAndNamedLimitsAtOnceAreNamed(CapturedOutput output) {
        Map<String, String> properties = orders();
        properties.put(ORDERS + "limits.hourly.limit", "100");
        properties.put(ORDERS + "limits.hourly.window", "1h");

        assertStartFails(Nothing.class, properties);

        assertThat(analysis(output)).contains("limiter.rules.orders", "named limits at once");
    }

    @Test
    void annotationThatRefersToNoRuleIsNamed(CapturedOutput output) {
        assertStartFails(RefersToNothing.class, Map.of());

        assertThat(analysis(output)).contains("missing", "Service.call");
    }

    @Test
    void everythingWrongIsSaidAtOnce(CapturedOutput output) {
        Map<String, String> properties = orders();
        properties.put(ORDERS + "limit", "0");
        properties.put(ORDERS + "window", "10");
        properties.put(ORDERS + "key", "nonsense");

        assertStartFails(Nothing.class, properties);

        assertThat(analysis(output)).contains(ORDERS + "limit", ORDERS + "window", ORDERS + "key");
    }

    private static Map<String, String> orders() {
        return new TreeMap<>(Map.of(ORDERS + "paths", "/orders", ORDERS + "limit", "10", ORDERS + "window", "1s"));
    }

    private static void assertStartFails(Class<?> application, Map<String, String> properties) {
        String[] pairs = properties.entrySet().stream()
                .map(property -> property.getKey() + "=" + property.getValue())
                .toArray(String[]::new);
        assertThatThrownBy(
                        () -> Applications.startWithoutWeb(application, pairs).close())
                .describedAs("Start with %s", properties)
                .isNotNull();
    }

    private static String analysis(CapturedOutput output) {
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
