package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Ten thousand rules of a rules file. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ManyRulesFileTests extends RulesFileSupport {

    private static final String LIMITER = "/actuator/limiter";

    @Test
    void comeAndGo(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            String many = IntStream.range(0, 2_000)
                    .mapToObj(
                            i -> "    rule" + i + ": { paths: /more/" + i + ", limit: " + (i + 1) + ", window: 1h }\n")
                    .collect(Collectors.joining());
            replace(file, orders(5) + many);
            awaitShown(clients, "/actuator/limiter/rule1999", "\"limit\":2000");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(5);

            replace(file, orders(0) + many.replace("window: 1h", "window: never"));
            await(() -> output.getOut().contains("1951 problems more")); // the list of all rules takes its time
            assertThat(clients.get(LIMITER).body()).contains("1951 problems more");

            replace(file, orders(6));
            awaitShown(clients, ORDERS, "\"limit\":6");
            assertThat(clients.get("/actuator/limiter/rule1999").statusCode()).isEqualTo(404);
        }
    }
}
