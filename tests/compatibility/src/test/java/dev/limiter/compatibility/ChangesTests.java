package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.TimeSource;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Changes by operators while applications run: for one key, for a while, beyond a restart, and in all instances. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class ChangesTests {

    private static final String ENDPOINT = "/actuator/limiter";
    private static final String ORDERS = ENDPOINT + "/orders";
    private static final String SEVERAL = ENDPOINT + "/several";

    private static final String[] RULES = {
        "management.endpoints.web.exposure.include=limiter,metrics",
        "management.endpoint.limiter.access=unrestricted",
        "limiter.rules.orders.paths=/orders",
        "limiter.rules.orders.limit=3",
        "limiter.rules.orders.window=1h",
        "limiter.rules.orders.key=header:X-Api-Key",
        "limiter.rules.orders.tier-by=header:X-Plan",
        "limiter.rules.orders.tiers.gold.limit=5",
        "limiter.rules.several.paths=/several",
        "limiter.rules.several.key=header:X-Api-Key",
        "limiter.rules.several.limits.per-sec.limit=100",
        "limiter.rules.several.limits.per-sec.window=1s",
        "limiter.rules.several.limits.per-day.limit=2",
        "limiter.rules.several.limits.per-day.window=1d",
        "limiter.rules.plans.paths=/plans",
        "limiter.rules.plans.key=header:X-Api-Key",
        "limiter.rules.plans.limits.short.limit=2",
        "limiter.rules.plans.limits.short.window=30d",
        "limiter.rules.plans.limits.long.limit=3",
        "limiter.rules.plans.limits.long.window=90d",
        "limiter.rules.plans.tier-by=header:X-Plan",
        "limiter.rules.plans.tiers.gold.limits.short.limit=4",
        "limiter.rules.plans.tiers.gold.limits.long.limit=5",
        "limiter.rules.plans.tiers.free.unlimited=true"
    };

    /** All events of applications. */
    private static final Queue<ApplicationEvent> TOLD = new ConcurrentLinkedQueue<>();

    private static final AtomicLong LATER = new AtomicLong();

    private static ConfigurableApplicationContext start(String... more) {
        return Applications.start(Limited.class, with(more));
    }

    private static String[] with(String... more) {
        return Stream.of(RULES, more).flatMap(Stream::of).toArray(String[]::new);
    }

    private static List<Integer> statuses(Clients clients, int requests, String path, String... headers) {
        return IntStream.range(0, requests)
                .mapToObj(i -> clients.get(path, headers).statusCode())
                .toList();
    }

    private static long permitted(Clients clients, String path, String key) {
        return statuses(clients, 30, path, "X-Api-Key", key).stream()
                .filter(status -> status == 200)
                .count();
    }

    private static HttpResponse<String> change(Clients clients, String path, String json) {
        HttpResponse<String> answer = clients.post(path, json);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer;
    }

    private static long version(Clients clients) {
        Matcher version = Pattern.compile("\"version\":(\\d+)")
                .matcher(clients.get(ENDPOINT).body());
        assertThat(version.find()).isTrue();
        return Long.parseLong(version.group(1));
    }

    @Test
    void oneKeyHasAnotherLimitForAWhile() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);

            HttpResponse<String> answer =
                    change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":10,\"until\":\"2h\",\"reason\":\"ticket 7\"}");

            assertThat(answer.body())
                    .contains("\"limit\":10,", "\"remaining\":7", "\"reason\":\"ticket 7\"")
                    .containsPattern("\"overrides\":\\[\\{\"limit\":10,\"until\":\"20[0-9T:.-]+Z\"");
            assertThat(clients.get(ORDERS).body())
                    .containsPattern("\"overrides\":\\[\\{\"keyHash\":\"[0-9a-f]{16}\",\"limit\":10")
                    .contains("\"changed\":false")
                    .doesNotContain("acme");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(7);
            assertThat(permitted(clients, "/orders", "other")).isEqualTo(3);
            assertThat(clients.get("/orders", "X-Api-Key", "acme", "X-Plan", "gold")
                            .statusCode())
                    .isEqualTo(429);

            LATER.addAndGet(Duration.ofMinutes(121).toNanos());
            await(() -> meter(clients, "limiter.overrides?tag=rule:orders") == 0);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
            assertThat(clients.get(ORDERS).body()).doesNotContain("overrides");
        }
    }

    @Test
    void keyHasTheLimitsOfTheRuleWithADifferenceWhateverItsTier() {
        keyHasTheLimitsOfTheRuleWithADifferenceWhateverItsTier(new String[0]);
    }

    @Test
    void keyHasTheLimitsOfTheRuleWithADifferenceWhateverItsTierOnRedis() {
        try (RedisServer redis = RedisServer.started()) {
            keyHasTheLimitsOfTheRuleWithADifferenceWhateverItsTier(onRedis(redis));
        }
    }

    private static void keyHasTheLimitsOfTheRuleWithADifferenceWhateverItsTier(String[] storage) {
        try (ConfigurableApplicationContext application = start(storage)) {
            Clients clients = Applications.clientsOf(application);
            for (String key : List.of("gold", "none", "free")) {
                change(
                        clients,
                        ENDPOINT + "/plans",
                        "{\"key\":\"" + key + "\",\"named\":\"short\",\"limit\":9,\"until\":\"1d\"}");
                assertThat(statuses(clients, 4, "/plans", "X-Api-Key", key, "X-Plan", key))
                        .as("the long limit of the rule")
                        .containsExactly(200, 200, 200, 429);
            }
            assertThat(statuses(clients, 10, "/plans", "X-Api-Key", "other", "X-Plan", "free"))
                    .containsOnly(200);
        }
    }

    @Test
    void changeOfARuleEndsInTime() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            HttpResponse<String> answer =
                    change(clients, ORDERS, "{\"limit\":10,\"until\":\"2h\",\"reason\":\"ticket 7\"}");
            assertThat(answer.body()).contains("\"limit\":10,", "\"changed\":true");
            assertThat(clients.get(ORDERS).body())
                    .containsPattern("\"change\":\\{\"limit\":10,\"until\":\"20[0-9T:.-]+Z\",\"reason\":\"ticket 7\"");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(10);

            LATER.addAndGet(Duration.ofMinutes(121).toNanos());
            await(() -> clients.get(ORDERS).body().contains("\"limit\":3,"));
            assertThat(clients.get(ORDERS).body()).contains("\"changed\":false").doesNotContain("\"change\":");
            assertThat(permitted(clients, "/orders", "other")).isEqualTo(3);
        }
    }

    /** Else an answer would say that the rule has a mode that it has not. */
    @ParameterizedTest
    @CsvSource({"shadow, enforce", "off, shadow", "off, enforce"})
    void modeThatTheModeOfAllRulesHidesIsRejected(String ofAll, String wanted) {
        try (ConfigurableApplicationContext application = start("limiter.mode=" + ofAll)) {
            Clients clients = Applications.clientsOf(application);
            HttpResponse<String> answer = clients.post(ORDERS, "{\"mode\":\"" + wanted + "\"}");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("LIM-501", "\"where\":\"mode\"", "limiter.mode is " + ofAll);
            assertThat(version(clients)).isZero();
            change(clients, ORDERS, "{\"mode\":\"" + ofAll + "\",\"limit\":4}");
        }
    }

    @Test
    void overrideBelowTheCostOfARequestIsRejected() {
        try (ConfigurableApplicationContext application =
                start("limiter.rules.orders.cost=3", "limiter.rules.plans.limits.long.cost=2")) {
            Clients clients = Applications.clientsOf(application);

            HttpResponse<String> never = clients.post(ORDERS, "{\"key\":\"acme\",\"limit\":2,\"until\":\"2h\"}");
            assertThat(never.statusCode()).as(never.body()).isEqualTo(400);
            assertThat(never.body()).contains("LIM-", "more than can ever be granted at once: 2");
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":6,\"until\":\"2h\"}");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(2);

            String one = "{\"key\":\"acme\",\"named\":\"%s\",\"limit\":1,\"until\":\"2h\"}";
            assertThat(clients.post(ENDPOINT + "/plans", one.formatted("long")).statusCode())
                    .isEqualTo(400);
            assertThat(clients.post(ENDPOINT + "/plans", one.formatted("short")).statusCode())
                    .isEqualTo(200);
            assertThat(permitted(clients, "/plans", "acme")).isEqualTo(1);
            assertThat(clients.get("/plans", "X-Api-Key", "other", "X-Plan", "free")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void overrideIsFoundAndEndedByTheHashThatIsListed() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":10,\"until\":\"1d\"}");
            Matcher hash = Pattern.compile("\"keyHash\":\"([0-9a-f]{16})\"")
                    .matcher(clients.get(ORDERS).body());
            assertThat(hash.find()).isTrue();

            assertThat(clients.get(ORDERS + "?key=" + hash.group(1)).body()).contains("\"limit\":10,");
            HttpResponse<String> ended = clients.send("DELETE", ORDERS + "?key=" + hash.group(1) + "&override=true");

            assertThat(ended.statusCode()).as(ended.body()).isEqualTo(200);
            assertThat(clients.get(ORDERS).body()).doesNotContain("overrides");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
        }
    }

    @Test
    void keyOfThoseWithoutAHeaderIsSpelledAsTheEndpointNamesIt() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            assertThat(statuses(clients, 4, "/orders")).containsExactly(200, 200, 200, 429);

            for (String key : List.of("header:x-api-key=unresolved", "header:X-API-Key=unresolved")) {
                assertThat(clients.get(ORDERS + "?key=" + key).body()).contains("\"used\":true", "\"permitted\":false");
            }
            clients.send("DELETE", ORDERS + "?key=header:x-api-key=unresolved");
            assertThat(clients.get("/orders").statusCode()).isEqualTo(200);
            clients.get("/orders", "X-Api-Key", "alice");
            assertThat(clients.get(ORDERS + "?key=header:X-API-KEY=5:alice").body())
                    .contains("\"used\":true");
        }
    }

    @Test
    void changesOfARuleThatIsGoneAreShownAndCanBeDeleted(@TempDir Path folder, CapturedOutput output)
            throws IOException {
        Path file = folder.resolve("changes");
        Files.writeString(
                file,
                document(
                        "{rule: gone, set: {limit: 4}, " + SIGNED,
                        "{rule: orders, set: {limit: 4}, " + SIGNED,
                        "{rule: gone, key: acme, set: {limit: 9}, until: 2099-01-01T00:00:00Z, " + SIGNED,
                        "{rule: vanished, key: acme, set: {limit: 9}, until: 2099-01-01T00:00:00Z, " + SIGNED));
        try (ConfigurableApplicationContext application = start(
                "limiter.changes-file=" + file,
                "management.endpoints.web.exposure.include=limiter,health",
                "management.endpoint.health.show-details=always")) {
            Clients clients = Applications.clientsOf(application);
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(4);
            String problem = "\"problem\":\"gone: A change is skipped. There is no rule of this name.\\nvanished: ";
            assertThat(clients.get(ENDPOINT).body()).contains(problem);
            assertThat(clients.get("/actuator/health").body())
                    .contains("\"status\":\"UP\"", "\"version\":7", "\"changesKeptIn\":\"" + file + "\"", problem);
            assertThat(lines(output, "Changes of rules are not in force:")).isEqualTo(1);
            assertThat(clients.post(ENDPOINT + "/gone", "{\"limit\":5}").statusCode())
                    .isEqualTo(404);

            HttpResponse<String> deleted = clients.send("DELETE", ENDPOINT + "/gone?reason=renamed");
            assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(200);
            assertThat(output).contains("LIMITER_RULE_CHANGED by anonymous", "\"renamed\"");
            assertThat(clients.send("DELETE", ENDPOINT + "/vanished").statusCode())
                    .isEqualTo(200);
            assertThat(clients.get(ENDPOINT).body()).doesNotContain("\"problem\"");
            assertThat(clients.send("DELETE", ENDPOINT + "/gone").statusCode()).isEqualTo(404);
            assertThat(Files.readString(file))
                    .doesNotContain("gone", "vanished")
                    .contains("rule: orders");
        }
    }

    @Test
    void limitsOverridesAndBansAreMeters() {
        try (ConfigurableApplicationContext application = start(
                "limiter.rules.orders.ban.after=2",
                "limiter.rules.orders.ban.within=1h",
                "limiter.rules.orders.ban.for=1d",
                "management.endpoints.web.exposure.include=limiter,metrics")) {
            Clients clients = Applications.clientsOf(application);
            assertThat(meter(clients, "limiter.limit?tag=rule:orders&tag=tier:none"))
                    .isEqualTo(3);
            assertThat(meter(clients, "limiter.limit?tag=rule:orders&tag=tier:gold"))
                    .isEqualTo(5);
            assertThat(meter(clients, "limiter.limit?tag=limit:several-per-day"))
                    .isEqualTo(2);
            assertThat(meter(clients, "limiter.limit?tag=rule:Limited.annotated"))
                    .isEqualTo(2);
            assertThat(meter(clients, "limiter.overrides?tag=rule:orders")).isZero();

            change(clients, ORDERS, "{\"limit\":4}");
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":10,\"until\":\"2h\"}");
            assertThat(meter(clients, "limiter.limit?tag=rule:orders&tag=tier:none"))
                    .isEqualTo(4);
            assertThat(meter(clients, "limiter.overrides?tag=rule:orders")).isEqualTo(1);
            LATER.addAndGet(Duration.ofHours(3).toNanos());
            await(() -> meter(clients, "limiter.overrides?tag=rule:orders") == 0);

            assertThat(meter(clients, "limiter.bans?tag=rule:orders")).isZero();
            permitted(clients, "/orders", "one");
            permitted(clients, "/orders", "two");
            assertThat(meter(clients, "limiter.bans?tag=rule:orders")).isEqualTo(2);

            clients.post(ORDERS, "{\"key\":\"three\",\"ban\":true}");
            assertThat(meter(clients, "limiter.bans?tag=rule:orders")).isEqualTo(3);
            clients.post(ORDERS, "{\"key\":\"three\",\"ban\":true}");
            assertThat(meter(clients, "limiter.bans?tag=rule:orders"))
                    .as("it was banned already")
                    .isEqualTo(3);
        }
    }

    private static double meter(Clients clients, String query) {
        HttpResponse<String> answer = clients.get("/actuator/metrics/" + query);
        Matcher value = Pattern.compile("\"value\":([0-9.]+)").matcher(answer.body());
        assertThat(value.find()).as(answer.body()).isTrue();
        return Double.parseDouble(value.group(1));
    }

    @Test
    void overrideIsEndedWithoutForgettingWhatWasUsed() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":10,\"until\":\"1d\"}");
            assertThat(statuses(clients, 4, "/orders", "X-Api-Key", "acme")).containsOnly(200);

            HttpResponse<String> ended = clients.send("DELETE", ORDERS + "?key=acme&override=true");

            assertThat(ended.statusCode()).as(ended.body()).isEqualTo(200);
            assertThat(ended.body()).contains("\"limit\":3,").doesNotContain("overrides");
            assertThat(clients.send("DELETE", ORDERS + "?kye=acme").statusCode())
                    .isEqualTo(400);
            assertThat(permitted(clients, "/orders", "acme")).isZero();
        }
    }

    @Test
    void oneOfSeveralLimitsAndThatOfAMethodAreOverridden() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            change(
                    clients,
                    ENDPOINT + "/several",
                    "{\"key\":\"acme\",\"named\":\"PerDay\",\"limit\":6,\"until\":\"1d\"}");
            change(clients, ENDPOINT + "/Limited.annotated", "{\"key\":\"\",\"limit\":4,\"until\":\"1d\"}");

            assertThat(permitted(clients, "/several", "acme")).isEqualTo(6);
            assertThat(permitted(clients, "/several", "other")).isEqualTo(2);
            assertThat(permitted(clients, "/annotated", "any")).isEqualTo(4);
        }
    }

    @Test
    void restorationIsForTheVersionThatWasSeen() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"limit\":4}");
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":9,\"until\":\"1h\"}");
            assertThat(clients.send("DELETE", ORDERS + "?version=1").statusCode())
                    .isEqualTo(409);
            assertThat(clients.send("DELETE", ORDERS + "?key=acme&override=true&version=1")
                            .statusCode())
                    .isEqualTo(409);
            assertThat(clients.send("DELETE", ORDERS + "?key=acme&version=2").statusCode())
                    .isEqualTo(400);
            assertThat(version(clients)).isEqualTo(2);
            assertThat(clients.send("DELETE", ORDERS + "?version=2").statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"Key\":\"acme\",\"limit\":1000}",
                "{\"limit\":8,\"vesrion\":7}",
                "{\"limit\":8,\"unitl\":\"2h\"}",
                "{\"limit\":8,\"who\":\"me\"}",
                "{\"limit\":8,\"<b>\":null}"
            })
    void misspeltWordChangesNothing(String json) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            HttpResponse<String> answer = clients.post(ORDERS, json);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("is unknown. Known: named, limit, window, ");
            assertThat(clients.post(ENDPOINT, "{\"undo\":true}").statusCode()).isEqualTo(405);
            assertThat(version(clients)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/orders | {'key':null,'limit':5} | key",
                "/orders | {'limit':5,'window':null} | window",
                "/orders | {'key':'acme','limit':5,'until':null} | until",
                "/orders | {'key':'acme','ban':true,'reason':null} | reason",
                "/orders | {'limit':5,'version':null} | version"
            })
    void wordWithoutAValueChangesNothing(String rule, String json, String word) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);

            HttpResponse<String> answer = clients.post(ENDPOINT + rule, json.replace('\'', '"'));

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("\"error\":\"\\\"" + word + "\\\" is null");
            assertThat(version(clients)).isZero();
        }
    }

    /** Actuator prefers parameters to fields of the same name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/orders?key=carl | {'key':'bob','limit':33,'until':'1h'} | key",
                "/orders?limit=91 | {'limit':92} | limit",
                "/orders?limit=91 | {} | limit",
                "/orders?reason=why | {'limit':92} | reason"
            })
    void wordInTheUrlChangesNothing(String path, String json, String words) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);

            HttpResponse<String> answer = clients.post(ENDPOINT + path, json.replace('\'', '"'));

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("body alone", "leave out of the URL: " + words + ".");
            assertThat(version(clients)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "orders | {'key':'acme','limit':10} | until",
                "orders | {'key':'acme','until':'2h'} | until",
                "orders | {'limit':10,'until':'soon'} | must be a time such as",
                "orders | {'until':'2h'} | nothing to change",
                "orders | {'key':'acme','limit':10,'until':'soon'} | must be a time such as",
                "orders | {'key':'acme','limit':10,'until':'2020-01-01T00:00:00Z'} | within 366 days",
                "orders | {'key':'acme','limit':10,'until':'367d'} | within 366 days",
                "orders | {'key':'acme','limit':10,'until':'0s'} | within 366 days",
                "orders | {'key':'acme','limit':10,'until':'2h','ban':true} | Of a key",
                "orders | {'key':'acme','limit':10,'until':'2h','mode':'off'} | Of a key",
                "orders | {'key':'acme','limit':10,'until':'2h','rollout':'10%'} | Of a key",
                "orders | {'key':'acme','limit':0,'until':'2h'} | LIM-",
                "orders | {'key':'acme','limit':ten,'until':'2h'} | ",
                "orders | {'key':'acme','limit':10,'until':'2h','named':'x'} | LIM-",
                "several | {'key':'acme','limit':10,'until':'2h'} | LIM-",
                "several | {'key':'acme','limit':10,'until':'2h','named':'per-week'} | LIM-",
                "orders | {'key':'acme','limit':10,'until':'2h','version':7} | by now"
            })
    void impossibleChangesChangeNothing(String rule, String json, String message) {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            HttpResponse<String> answer = clients.post(ENDPOINT + "/" + rule, json.replace('\'', '"'));

            assertThat(answer.statusCode()).as(answer.body()).isIn(400, 409);
            assertThat(answer.body()).contains(message == null ? "" : message);
            assertThat(version(clients)).isZero();
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
        }
    }

    @Test
    void noChangeExceedsACap() {
        try (ConfigurableApplicationContext application = start(
                "limiter.caps.orders.limit=6",
                "limiter.caps.orders.window=1h",
                "limiter.caps.[Limited.annotated].limit=2",
                "limiter.caps.[Limited.annotated].window=1h")) {
            Clients clients = Applications.clientsOf(application);
            for (String json : List.of(
                    "{\"limit\":7}",
                    "{\"burst\":7}",
                    "{\"window\":\"20m\"}",
                    "{\"mode\":\"off\"}",
                    "{\"rollout\":\"50%\"}",
                    "{\"key\":\"acme\",\"limit\":7,\"until\":\"2h\"}")) {
                HttpResponse<String> answer = clients.post(ORDERS, json);
                assertThat(answer.statusCode()).as(json).isEqualTo(400);
                assertThat(answer.body()).contains("LIM-317", "limiter.caps.orders");
            }
            assertThat(clients.post(ENDPOINT + "/Limited.annotated", "{\"limit\":3}")
                            .statusCode())
                    .isEqualTo(400);
            change(clients, ORDERS, "{\"limit\":6}");
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":5,\"until\":\"2h\"}");
            change(clients, ORDERS, "{\"rollout\":\"100%\"}");
            assertThat(version(clients)).isEqualTo(3);
        }
    }

    @Test
    void changesOfARuleAreRevertedTogether() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"limit\":4}");
            change(clients, ORDERS, "{\"mode\":\"off\",\"reason\":\"an incident\"}");
            assertThat(clients.get(ORDERS).body())
                    .containsPattern(
                            "\"change\":\\{\"limit\":4,\"mode\":\"off\",\"reason\":\"an incident\",\"version\":2");
            change(clients, SEVERAL, "{\"named\":\"per-day\",\"limit\":6}");

            assertThat(clients.send("DELETE", ORDERS + "?version=3").statusCode())
                    .isEqualTo(200);

            assertThat(permitted(clients, "/orders", "one")).isEqualTo(3);
            assertThat(permitted(clients, "/several", "one")).isEqualTo(6);
        }
    }

    @Test
    void changesAreKeptInAFileWhereAskedFor(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = folder.resolve("changes");
        String property = "limiter.changes-file=" + file;
        try (ConfigurableApplicationContext application = start(property)) {
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"limit\":4}");
            change(clients, ORDERS, "{\"key\":\"a&c=e\\n%\",\"limit\":8,\"until\":\"1d\",\"reason\":\"why & how\"}");
            change(clients, ENDPOINT + "/Limited.annotated", "{\"limit\":5}");
        }
        try (ConfigurableApplicationContext application = start(property)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(version(clients)).isEqualTo(3);
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":4", "\"reason\":\"why & how\"");
            assertThat(permitted(clients, "/orders", "other")).isEqualTo(4);
            assertThat(permitted(clients, "/annotated", "any")).isEqualTo(5);
            assertThat(clients.get(ORDERS + "?key=a%26c%3De%0A%25").body()).contains("\"remaining\":8");

            assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
            Path occupied = Files.createDirectories(folder.resolve("changes.new/occupied"));
            HttpResponse<String> unwritable = clients.post(ORDERS, "{\"limit\":9}");
            assertThat(unwritable.statusCode()).isEqualTo(503);
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":4").doesNotContain("\"limit\":9");
            Files.delete(occupied);
        }
        String stored = Files.readString(file);
        Files.writeString(file, "server:\n  port: 8080\n");
        try (ConfigurableApplicationContext application = start(property)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(output).contains("cannot be read, and are not in force");
            assertThat(clients.get(ENDPOINT).body()).contains("\"problem\":\"The changes in ", "delete it");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":3");
            assertThat(clients.post(ORDERS, "{\"limit\":9}").statusCode()).isEqualTo(503);
            assertThat(file).content().contains("8080");

            Files.writeString(file, stored);
            await(() -> clients.get(ORDERS).body().contains("\"limit\":4"));
            assertThat(clients.get(ENDPOINT).body()).doesNotContain("\"problem\"");
        }
    }

    @Test
    void requestIsAboutOneThingAndOneKey() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            assertThat(statuses(clients, 1, "/orders", "X-Api-Key", "a,b")).containsOnly(200);
            HttpResponse<String> twice = clients.send("DELETE", ORDERS + "?key=a&key=b");
            assertThat(twice.statusCode()).isEqualTo(400);
            assertThat(twice.body()).contains("say it once");
            assertThat(clients.get(ORDERS + "?key=a&key=b").statusCode()).isEqualTo(400);
            HttpResponse<String> both = clients.post(ORDERS, "{\"limit\":44,\"observe\":true}");
            assertThat(both.statusCode()).isEqualTo(400);
            assertThat(both.body()).contains("goes alone");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":3");
        }
    }

    /** A listener of audit events that fails is not the failure of the change. */
    @Test
    void changeStandsWhoeverFailsToHearOfIt() {
        try (ConfigurableApplicationContext application = start()) {
            application.addApplicationListener(event -> {
                if (event instanceof AuditApplicationEvent) {
                    throw new IllegalStateException("on purpose");
                }
            });
            Clients clients = Applications.clientsOf(application);
            change(clients, ORDERS, "{\"limit\":44}");
            assertThat(clients.get(ORDERS).body()).contains("\"limit\":44");
        }
    }

    @Test
    void folderThatIsMissingIsToldAtTheStart(@TempDir Path folder) throws IOException {
        try (ConfigurableApplicationContext application =
                start("limiter.changes-file=" + folder.resolve("missing/changes"))) {
            Clients clients = Applications.clientsOf(application);
            assertThat(clients.get(ENDPOINT).body())
                    .contains("\"problem\":\"No change can be kept in ", "there is no folder ");
            assertThat(clients.post(ORDERS, "{\"limit\":4}").statusCode()).isEqualTo(503);
            Files.createDirectories(folder.resolve("missing"));
            change(clients, ORDERS, "{\"limit\":4}");
            assertThat(clients.get(ENDPOINT).body()).doesNotContain("\"problem\"");
        }
        Path occupied = Files.writeString(folder.resolve("file"), "");
        try (ConfigurableApplicationContext application =
                start("limiter.changes-file=" + occupied.resolve("changes"))) {
            assertThat(Applications.clientsOf(application).get(ENDPOINT).body()).contains("\"problem\":");
        }
    }

    /** The tier of a request of the key is not known. */
    @Test
    void keyShowsWhereItStandsInEachTier() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            assertThat(statuses(clients, 3, "/plans", "X-Api-Key", "acme", "X-Plan", "gold"))
                    .containsOnly(200);
            String standing = clients.get(ENDPOINT + "/plans?key=acme").body();
            assertThat(JsonPath.<Boolean>read(standing, "$.buckets[0].permitted"))
                    .isFalse();
            assertThat(JsonPath.<Boolean>read(standing, "$.buckets[0].tiers.gold.permitted"))
                    .isTrue();
            assertThat(JsonPath.<List<Integer>>read(standing, "$.buckets[0].tiers.gold.limits[*].remaining"))
                    .contains(1);
            change(clients, ENDPOINT + "/plans", "{\"key\":\"acme\",\"named\":\"short\",\"limit\":8,\"until\":\"1h\"}");
            assertThat(JsonPath.<List<Integer>>read(
                            clients.get(ENDPOINT + "/plans?key=acme").body(),
                            "$.buckets[0].tiers.gold.limits[*].limit"))
                    .as("with what the key has for a while")
                    .contains(8);
        }
    }

    @Test
    void changesThatNoLongerFitAreSkipped(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = Files.writeString(
                folder.resolve("changes"),
                document(
                        "{rule: orders, set: {limits.gone.limit: 4}, " + SIGNED,
                        "{rule: several, set: {limits.per-day.limit: 5}, " + SIGNED,
                        "{rule: plans, set: {'limits.long.cost': '#{1}'}, " + SIGNED,
                        "{rule: several, key: 'header:x-api-key=4:acme', set: {limit: 9}, until: 2099-01-01T00:00:00Z, "
                                + SIGNED));
        try (ConfigurableApplicationContext application = start("limiter.changes-file=" + file)) {
            Clients clients = Applications.clientsOf(application);
            assertThat(lines(output, "WARN.*Changes of rules are not in force:"))
                    .isEqualTo(1);
            assertThat(clients.get(ENDPOINT).body())
                    .contains("\"problem\":\"orders: A change is skipped. ", "plans: ", "several: ", "\"version\":7");
            assertThat(permitted(clients, "/orders", "acme")).isEqualTo(3);
            assertThat(permitted(clients, "/several", "acme"))
                    .as("a change that fits")
                    .isEqualTo(5);
            assertThat(clients.get(ORDERS).body()).contains("\"inForce\":false");
            assertThat(clients.get(SEVERAL).body()).containsPattern("\"overrides\".*\"limit\":9.*\"inForce\":false");

            HttpResponse<String> onTop = clients.post(ORDERS, "{\"limit\":5}");
            assertThat(onTop.statusCode()).as(onTop.body()).isEqualTo(400);
            change(clients, ORDERS, "{\"key\":\"a\",\"limit\":5,\"until\":\"1h\"}");
            assertThat(permitted(clients, "/orders", "a"))
                    .as("a key of the rule")
                    .isEqualTo(5);
            change(clients, SEVERAL, "{\"named\":\"per-day\",\"limit\":6}");

            for (String revert : List.of(ORDERS, ENDPOINT + "/plans", SEVERAL + "?key=acme&override=true")) {
                assertThat(clients.send("DELETE", revert).statusCode()).isEqualTo(200);
            }
            assertThat(clients.get(ENDPOINT).body()).doesNotContain("\"problem\":", "inForce");
        }
    }

    private static final String SIGNED = "version: 7, at: 2026-11-23T08:12:04.118Z, by: ann}";

    private static String document(String... changes) {
        return "{version: 7, changes: [" + String.join(", ", changes) + "]}";
    }

    @Test
    void instancesOnRedisShareChanges() {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {
                "limiter.storage=redis", "limiter.redis.timeout=5s", redis.property(), "spring.application.name=shop"
            };
            try (ConfigurableApplicationContext first = start(onRedis);
                    ConfigurableApplicationContext second = start(onRedis)) {
                Clients one = Applications.clientsOf(first);
                Clients other = Applications.clientsOf(second);
                change(one, ORDERS, "{\"key\":\"acme\",\"limit\":10,\"until\":\"1d\"}");
                change(one, ORDERS, "{\"limit\":4}");
                await(() -> version(other) == 2);
                assertThat(statuses(one, 5, "/orders", "X-Api-Key", "acme")).containsOnly(200);
                assertThat(permitted(other, "/orders", "acme")).isEqualTo(5);
                assertThat(permitted(other, "/orders", "other")).isEqualTo(4);

                assertThat(one.post(ORDERS, "{\"limit\":5,\"version\":1}").statusCode())
                        .isEqualTo(409);
                change(other, ORDERS, "{\"limit\":5,\"version\":2}");
                assertThat(one.post(ORDERS, "{\"limit\":6,\"version\":2}").statusCode())
                        .isEqualTo(409);

                redis.ask(commands -> commands.flushall());
                await(() -> redis.ask(commands -> commands.exists("limiter:shop:changes")) == 1);
                try (ConfigurableApplicationContext third = start(onRedis)) {
                    Clients late = Applications.clientsOf(third);
                    assertThat(version(late)).isEqualTo(3);
                    assertThat(permitted(late, "/orders", "late")).isEqualTo(5);
                }

                redis.kill();
                HttpResponse<String> unavailable = one.post(ORDERS, "{\"limit\":9}");
                assertThat(unavailable.statusCode()).as(unavailable.body()).isEqualTo(503);
                assertThat(unavailable.body()).contains("rules stay as they are");
                assertThat(one.get(ORDERS).body()).contains("\"limit\":5,");
            }
        }
    }

    @Test
    void changesThatCannotBeReadLeaveTheLastOnesInForce(CapturedOutput output) {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext first = start(onRedis(redis));
                ConfigurableApplicationContext second = start(onRedis(redis))) {
            Clients one = Applications.clientsOf(first);
            Clients other = Applications.clientsOf(second);
            change(one, ORDERS, "{\"limit\":4}");
            await(() -> version(other) == 1);

            redis.ask(commands -> commands.set(CHANGES, "no document"));
            for (Clients clients : List.of(one, other)) {
                await(() ->
                        clients.get(ENDPOINT).body().contains("\"problem\":\"The changes of rules in Redis cannot"));
                assertThat(clients.get("/actuator/health").body())
                        .contains("cannot be read", "\"problemSince\":", "\"changesKeptIn\":\"redis\"")
                        .contains("\"status\":\"UP\"");
                assertThat(permitted(clients, "/orders", "key" + clients.hashCode()))
                        .isEqualTo(4);
                HttpResponse<String> unreadable = clients.post(ORDERS, "{\"limit\":9}");
                assertThat(unreadable.statusCode()).as(unreadable.body()).isEqualTo(503);
            }
            redis.ask(commands -> commands.del(CHANGES));
            await(() -> redis.ask(commands -> commands.exists(CHANGES)) == 1);
            await(() -> !other.get(ENDPOINT).body().contains("\"problem\"")
                    && !one.get(ENDPOINT).body().contains("\"problem\""));
            change(other, ORDERS, "{\"limit\":5,\"version\":1}");
            assertThat(lines(output, "WARN.*The changes of rules in Redis cannot be read"))
                    .as("a line of each instance")
                    .isEqualTo(2);
        }
    }

    private static long lines(CapturedOutput output, String pattern) {
        return Pattern.compile(pattern).matcher(output).results().count();
    }

    private static final String CHANGES = "limiter:shop:changes";

    private static String[] onRedis(RedisServer redis) {
        return new String[] {
            "limiter.storage=redis",
            "limiter.redis.timeout=5s",
            redis.property(),
            "spring.application.name=shop",
            "management.endpoints.web.exposure.include=limiter,health",
            "management.endpoint.health.show-details=always"
        };
    }

    @Test
    void reasonsAreToldToListenersWithoutControlCharacters() {
        try (ConfigurableApplicationContext application = start()) {
            Clients clients = Applications.clientsOf(application);
            TOLD.clear();
            change(clients, ORDERS, "{\"limit\":4,\"reason\":\"a\\u001b[2Jb\\nc\"}");
            change(clients, ORDERS, "{\"key\":\"acme\",\"limit\":9,\"until\":\"2h\",\"reason\":\"a\\u202eb\"}");

            assertThat(TOLD)
                    .filteredOn(AuditApplicationEvent.class::isInstance)
                    .extracting(event -> ((AuditApplicationEvent) event)
                            .getAuditEvent()
                            .getData()
                            .get("reason"))
                    .containsExactly("a\\u001b[2Jb\\u000ac", "a\\u202eb");
            await(() -> TOLD.stream()
                    .filter(PayloadApplicationEvent.class::isInstance)
                    .map(event -> ((PayloadApplicationEvent<?>) event).getPayload())
                    .anyMatch(payload -> payload instanceof RulesChanged changed && changed.version() == 2));
        }
    }

    @Test
    void instancesOnRedisMayHaveTheirOwn() {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {
                "limiter.storage=redis",
                "limiter.redis.timeout=5s",
                "limiter.redis.share-changes=false",
                redis.property()
            };
            try (ConfigurableApplicationContext application = start(onRedis)) {
                change(Applications.clientsOf(application), ORDERS, "{\"limit\":4}");
                List<String> keys = redis.ask(commands -> commands.keys("*changes*"));
                assertThat(keys).isEmpty();
            }
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @Bean
        static TimeSource clock() {
            TimeSource system = TimeSource.system();
            return () -> system.epochNanos() + LATER.get();
        }

        @Bean
        static ApplicationListener<ApplicationEvent> told() {
            return TOLD::add;
        }

        @GetMapping({"/orders", "/several", "/plans"})
        String get() {
            return "ok";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 2, window = "1h")
        String annotated() {
            return "ok";
        }
    }
}
