package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class BadConfigurationTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "window=10M; limiter.rules.orders.window = \"10M\"; 10m is minutes",
                "limit=0; limiter.rules.orders.limit = \"0\"; from 1 to",
                "limit=many; limiter.rules.orders.limit = \"many\"; a whole number",
                "algorithm=magic; limiter.rules.orders.algorithm = \"magic\"; token-bucket",
                "key=#user.id; limiter.rules.orders.key = \"#user.id\"; #user is unknown",
                "key=#{name(#request)}; limiter.rules.orders.key = \"#{name(#request)}\"; is unknown",
                "key=; limiter.rules.orders.key = \"\"; Quote it",
                "pathz=/a; limiter.rules.orders.pathz = \"/a\"; paths, methods",
            })
    void stopsTheStart(String setting, String property, String said, CapturedOutput output) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(TestApplication.class)
                .properties("limiter.rules.orders.limit=1", "limiter.rules.orders.window=1s");

        assertThatThrownBy(() -> application.run(
                        "--server.port=0",
                        "--limiter.rules.orders.paths=/hello",
                        "--limiter.rules.orders." + setting))
                .isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START").contains(property, said);
    }
}
