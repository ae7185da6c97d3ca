package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.stream.Stream;
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

/**
 * Invalid settings fail at startup. The failure analysis lists all of them with their source and the correction. All
 * settings are covered by {@code BadConfigurationTests} of the starter.
 */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class FailingStartTests {

    @ParameterizedTest
    @CsvSource({
        "limit=many;window=1s, limit = \"many\", a whole number",
        "limit=0;window=1s, limit = \"0\", must be from 1 to",
        "limit=1;window=10M, window = \"10M\", a whole number with one of ns us ms s m h d",
        "limit=1;window=1s;key=#user.id, key = \"#user.id\", #user is unknown",
        "limit=1;window=1s;cost=#{1 +, cost = \"#{1 +\", SpEL",
        "limit=1;window=1s;pathz=/a, pathz = \"/a\", 'paths, methods'",
    })
    void invalidPropertyIsReportedWithItsValue(
            String settings, String reported, String correction, CapturedOutput output) {
        String[] properties = Stream.of(("paths=/orders;" + settings).split(";"))
                .map(setting -> "limiter.rules.orders." + setting)
                .toArray(String[]::new);
        assertThat(analysis(output, Nothing.class, properties))
                .contains("limiter.rules.orders." + reported, correction, "Action:");
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
