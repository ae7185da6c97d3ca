package dev.limiter.operations;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the alert rules on synthetic series, and the runbook section of each alert. */
class AlertRuleTests {

    @Test
    void fireWhenTheyShould() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Programs.onPath("promtool"), "test", "rules", "src/test/resources/limiter-alerts-tests.yml")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }

    @Test
    void eachAlertHasASectionWithACommandAndIsInTheIndex() throws IOException {
        String index = Files.readString(OperationsPack.FOLDER.resolve("README.md"));
        for (String alert : OperationsPack.alerts().keySet()) {
            assertThat(OperationsPack.section(alert)).startsWith(alert + "\n**");
            assertThat(OperationsPack.firstCommand(alert)).startsWith("/actuator/");
            assertThat(index).contains("[" + alert + "](#" + alert.toLowerCase(Locale.ROOT) + ")");
        }
    }
}
