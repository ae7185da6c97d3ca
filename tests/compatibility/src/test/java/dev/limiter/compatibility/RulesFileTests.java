package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Rules in a file, which is replaced while the application runs. */
@ExtendWith(OutputCaptureExtension.class)
class RulesFileTests extends RulesFileSupport {

    @Test
    void healthTellsWhatIsWrongAndSinceWhen() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(
                file,
                "management.endpoints.web.exposure.include=limiter,health",
                "management.endpoint.health.show-details=always")) {
            Clients clients = Applications.clientsOf(application);
            String health = "/actuator/health";
            assertThat(clients.get(health).body())
                    .contains("\"version\":0", "\"changesKeptIn\":\"memory\"", "\"rulesFile\":\"" + file + "\"")
                    .doesNotContain("problem");

            Instant before = Instant.now();
            replace(file, orders(0));
            awaitShown(clients, health, "problemSince");
            String body = clients.get(health).body();
            Instant since = Instant.parse(JsonPath.read(body, "$.components.limiter.details.problemSince"));
            assertThat(since).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
            assertThat(JsonPath.<String>read(body, "$.components.limiter.details.problem"))
                    .contains("limit");
            assertThat(JsonPath.<String>read(body, "$.components.limiter.status"))
                    .isEqualTo("UP");

            replace(file, orders(5));
            await(() -> !clients.get(health).body().contains("problem"));
        }
    }

    @Test
    void completesWhatIsConfiguredAndIsFollowed() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);

            replace(file, orders(6) + "    more:\n      paths: /more\n      limit: 2\n      window: 1h\n");
            awaitShown(clients, ORDERS, "\"limit\":6");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(2);
            assertThat(permitted(clients, "/more", "acme")).isEqualTo(2);

            replace(file, orders(7));
            awaitShown(clients, ORDERS, "\"limit\":7");
            assertThat(permitted(clients, "/more", "acme")).isEqualTo(30);
        }
    }

    @Test
    void findingsAreToldOnceAsAfterTheStart(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(output).doesNotContain("LIM-901");

            String typo = "    more:\n      paths: /moer\n      limit: 2\n      window: 1h\n";
            replace(file, orders(5) + typo);
            await(() -> output.toString().contains("LIM-901"));
            replace(file, orders(6) + typo);
            awaitShown(clients, ORDERS, "\"limit\":6");
            replace(file, orders(7) + typo.replace("moer", "moore"));
            await(() -> output.toString().contains("/moore"));

            assertThat(output.toString().split("LIM-901", -1)).hasSize(3);
        }
    }

    /** Else it would be answered as made, and come into force when nobody expects it. */
    @Test
    void changeBesideOneThatDoesNotFitAnyMoreIsRejected() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.post(ORDERS, "{\"burst\":12}").statusCode()).isEqualTo(200);
            replace(file, orders(5) + "      algorithm: fixed-window\n");
            awaitShown(clients, "/actuator/limiter", "\"problem\":");

            for (String change : List.of("{\"limit\":3}", "{\"mode\":\"off\"}")) {
                HttpResponse<String> rejected = clients.post(ORDERS, change);
                assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(400);
                assertThat(rejected.body()).contains("LIM-204", "\"where\":\"burst\"");
            }
            assertThat(clients.post("/actuator/limiter/default", "{\"mode\":\"off\"}")
                            .statusCode())
                    .as("another rule")
                    .isIn(200, 404);
            assertThat(clients.post(ORDERS, "{\"key\":\"a\",\"limit\":9,\"until\":\"1h\"}")
                            .statusCode())
                    .as("an override, which fits by itself")
                    .isEqualTo(200);

            assertThat(clients.send("DELETE", ORDERS).statusCode()).isEqualTo(200);
            assertThat(clients.get("/actuator/limiter").body()).doesNotContain("\"problem\":");
            assertThat(clients.post(ORDERS, "{\"limit\":3}").statusCode()).isEqualTo(200);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
        }
    }

    @Test
    void isFollowedThroughSymbolicLinks() throws IOException {
        Path first = Files.createDirectories(folder.resolve("..first"));
        Path second = Files.createDirectories(folder.resolve("..second"));
        Files.writeString(first.resolve("rules.yml"), orders(4));
        Files.writeString(second.resolve("rules.yml"), orders(5));
        Path data = Files.createSymbolicLink(folder.resolve("..data"), first);
        Path file = Files.createSymbolicLink(folder.resolve("rules.yml"), folder.resolve("..data/rules.yml"));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            awaitShown(clients, ORDERS, "\"limit\":4");

            Files.createSymbolicLink(folder.resolve("..new"), second);
            Files.move(folder.resolve("..new"), data, StandardCopyOption.REPLACE_EXISTING);
            awaitShown(clients, ORDERS, "\"limit\":5");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'limiter: [' | no YAML",
                "'limiter: { rules: { orders: { limit: 0 } } }' | limiter.rules.orders.limit",
                "'limiter: { rules: { orders: { limt: 5 } } }' | Did you mean limit?",
                "'limiter: { rules: { orders: { limit: many } } }' | a whole number",
                "'limiter: { max-keys: 5 }' | limiter.max-keys",
                "'spring: { application: { name: other } }' | spring.application.name",
                "'limiter: { rules: { orders: { limits: { a: { limit: 5, window: 1s } } } } }' | LIM-207",
                "'' | empty"
            })
    void keepsTheRulesWhereItCannotWork(String text, String message, CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            replace(file, text);
            awaitShown(clients, "/actuator/limiter", "\"problem\":");

            await(() -> output.toString().contains("Rules stay as they are"));
            assertThat(output).contains(message);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);

            replace(file, orders(5));
            awaitShown(clients, ORDERS, "\"limit\":5");
            assertThat(clients.get("/actuator/limiter").body()).doesNotContain("\"problem\":");
            assertThat(output.toString().split("Rules stay as they are", -1)).hasSize(2);
        }
    }

    @Test
    void keepsTheRulesWhereItIsGoneAFolderOrTooLarge(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            awaitShown(clients, ORDERS, "\"limit\":4");

            Files.delete(file);
            awaitShown(clients, "/actuator/limiter", "any more");
            Files.writeString(file, orders(4));
            await(() -> !clients.get("/actuator/limiter").body().contains("\"problem\":"));
            Files.delete(file);
            awaitShown(clients, "/actuator/limiter", "any more");
            Files.createDirectory(file);
            awaitShown(clients, "/actuator/limiter", "This is no file");
            Files.delete(file);
            Files.write(file, new byte[11 << 20]);
            awaitShown(clients, "/actuator/limiter", "more than 1048576 bytes");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);
            await(() -> output.toString().contains("Rules stay as they are"));

            replace(file, orders(5));
            awaitShown(clients, ORDERS, "\"limit\":5");
        }
    }

    @Test
    void stopsTheStartWhereItCannotWork(CapturedOutput output) throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(0));
        assertThatThrownBy(() -> start(file).close()).isInstanceOf(RuntimeException.class);
        assertThat(output).contains("limiter.rules.orders.limit", "rules.yml] - 4:14", "LIM-");

        Files.writeString(file, "server:\n  port: 1\n");
        assertThatThrownBy(() -> start(file).close()).isInstanceOf(RuntimeException.class);
        assertThat(output).contains("server.port", "LIM-503");
    }

    @Test
    void mayComeLater(CapturedOutput output) throws IOException {
        Path file = folder.resolve("rules.yml");
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(output).contains("There is no " + file);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
            replace(file, orders(5));
            awaitShown(clients, ORDERS, "\"limit\":5");
        }
    }

    @Test
    void rulesFollowTheEnvironmentOfSpringCloud(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start(folder.resolve("none.yml"))) {
            Clients clients = Applications.clientsOf(application);
            Map<String, Object> refreshed = new HashMap<>(Map.of("limiter.rules.orders.limit", "5"));
            application.getEnvironment().getPropertySources().addFirst(new MapPropertySource("refreshed", refreshed));

            application.publishEvent(new EnvironmentChangeEvent(this));
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(5);

            refreshed.put("limiter.rules.orders.limit", "none");
            application.publishEvent(new EnvironmentChangeEvent(this));
            assertThat(output).contains("Rules stay as they are", "limiter.rules.orders.limit = \"none\"");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":5");
        }
    }

    @Test
    void isHiddenByChangesThatStay() throws IOException {
        Path file = Files.writeString(folder.resolve("rules.yml"), orders(4));
        try (ConfigurableApplicationContext application = start(file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.post(ORDERS, "{\"limit\":9}").statusCode()).isEqualTo(200);
            replace(file, orders(5) + "      window: 2h\n");
            awaitShown(clients, ORDERS, "\"window\":\"PT2H\"");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":9");
            assertThat(clients.send("DELETE", ORDERS).body()).contains("\"limit\":5");
        }
    }
}
