package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /actuator/limiter}, as somebody on call uses it. */
@Tag("each-line")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class EndpointTests {

    private static final String[] RULES = {
        "management.endpoints.web.exposure.include=*",
        "logging.level.dev.limiter.rejections=debug",
        "limiter.web.default-limit.limit=50",
        "limiter.web.default-limit.window=1h",
        "limiter.rules.orders.paths=/orders",
        "limiter.rules.orders.limit=3",
        "limiter.rules.orders.window=1h",
        "limiter.rules.orders.key=header:X-Api-Key",
        "limiter.rules.orders.ban.after=2",
        "limiter.rules.orders.ban.within=1h",
        "limiter.rules.orders.ban.for=1d",
        "limiter.rules.several.paths=/several",
        "limiter.rules.several.limits.per-sec.limit=100",
        "limiter.rules.several.limits.per-sec.window=1s",
        "limiter.rules.several.limits.per-day.limit=5",
        "limiter.rules.several.limits.per-day.window=1d",
        "limiter.rules.several.limits.per-day.algorithm=fixed-window",
        "limiter.rules.several.limits.per-day.align=first",
        "limiter.rules.loaded.paths=/loaded",
        "limiter.rules.loaded.limit=100",
        "limiter.rules.loaded.window=1d",
        "limiter.rules.loaded.algorithm=fixed-window",
        "limiter.rules.loaded.align=first",
        "limiter.rules.loaded.key=header:X-Api-Key"
    };

    private ConfigurableApplicationContext application;
    private Clients clients;

    @BeforeAll
    void start() {
        application = Applications.start(Limited.class, with(RULES, "management.endpoint.limiter.access=unrestricted"));
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    private static String[] with(String[] properties, String... more) {
        return Stream.of(properties, more).flatMap(Stream::of).toArray(String[]::new);
    }

    @Test
    void showsAllRules() {
        clients.get("/automatic");

        HttpResponse<String> answer = clients.get("/actuator/limiter");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .contains("\"limit\":100,\"window\":\"PT1S\"")
                .contains(
                        "\"orders\":{\"origin\":\"limiter.rules.orders\",\"mode\":\"enforce\",\"paths\":[\"/orders\"]")
                .contains(
                        "\"policy\":\"several-per-day\",\"algorithm\":\"fixed-window\",\"limit\":5,\"window\":\"PT24H\"")
                .contains("\"Limited.annotated\":{\"origin\":\"@RateLimiter on ")
                .contains("\"default\":{\"origin\":\"limiter.web.default-limit\"")
                .contains("\"storage\":{")
                .containsPattern("\"default\":.*\"permitted\":[1-9]");
        String instance = JsonPath.read(answer.body(), "$.instance");
        assertThat(JsonPath.<String>read(clients.get("/actuator/limiter").body(), "$.instance"))
                .isEqualTo(instance)
                .isNotEmpty();
        assertThat(clients.get("/actuator/limiter/default").body())
                .containsPattern("\"resources\":\\{\"GET /automatic\":\\{\"permitted\":[1-9]");
    }

    /** "I get 429 and should not." */
    @Test
    void tellsWhyACustomerIsRejectedAndLetsItIn() {
        assertThat(statuses(6, "/orders", "X-Api-Key", "acme")).containsExactly(200, 200, 200, 429, 429, 429);

        String standing = clients.get("/actuator/limiter/orders?key=acme").body();
        assertThat(standing)
                .contains("\"permitted\":false,\"banned\":true,\"banEndsAfter\":\"PT23H59M")
                .contains("\"limit\":3,\"window\":\"PT1H\",\"permitted\":false,\"remaining\":0,\"retryAfter\":\"PT");
        assertThat(clients.get("/actuator/limiter/orders?key=other").body())
                .contains("\"permitted\":true,\"banned\":false", "\"remaining\":3");

        String lifted =
                clients.send("DELETE", "/actuator/limiter/orders?key=acme").body();
        assertThat(lifted).contains("\"permitted\":true,\"banned\":false");
        assertThat(statuses(4, "/orders", "X-Api-Key", "acme")).containsExactly(200, 200, 200, 429);
    }

    /** Known from a log or from the endpoint itself, where no key is told as it is. */
    @Test
    void tellsWhoIsRejectedMostByAHashThatCanBeAskedFor(CapturedOutput output) {
        Stream.of(1, 2, 3, 4)
                .map(i -> CompletableFuture.runAsync(() -> statuses(100, "/orders", "X-Api-Key", "a crowd")))
                .toList()
                .forEach(CompletableFuture::join);

        String rule = clients.get("/actuator/limiter/orders").body();
        Matcher most = Pattern.compile(
                        "\"rejectedMost\":\\[\\{\"rule\":\"orders\",\"keyHash\":\"([0-9a-f]{16})\",\"rejections\":397")
                .matcher(rule);
        assertThat(most.find()).as(rule).isTrue();
        assertThat(rule).containsPattern("\"recentDecisions\":\\{[^}]*\"banned\":[1-9]");
        String all = clients.get("/actuator/limiter").body();
        assertThat(all).contains("{\"rule\":\"orders\",\"keyHash\":\"" + most.group(1));
        assertThat(rule + all + output).doesNotContain("a crowd");
        assertThat(output)
                .contains("rejected rule=orders limit=orders resource=\"GET /orders\" key=" + most.group(1)
                        + " retryAfter=PT")
                .contains("banned rule=orders limit=orders resource=\"GET /orders\" key=" + most.group(1));

        String key = "/actuator/limiter/orders?key=" + most.group(1);
        assertThat(clients.get(key).body()).contains("\"banned\":true");
        assertThat(clients.send("DELETE", key).body()).contains("\"banned\":false");
        assertThat(statuses(1, "/orders", "X-Api-Key", "a crowd")).containsExactly(200);
    }

    /** A log is kept for longer than keys are remembered, and each instance remembers its own. */
    @Test
    void aForgottenHashIsToldAndChangesNothing() {
        AuditEvents audit = application.getBean(AuditEvents.class);
        audit.all.clear();
        String orders = "/actuator/limiter/orders";
        String said = "{\"key\": \"0123456789abcdef\", ";

        for (HttpResponse<String> answer : List.of(
                clients.send("DELETE", orders + "?key=0123456789abcdef"),
                clients.send("DELETE", orders + "?key=0123456789abcdef&override=true"),
                clients.post(orders, said + "\"ban\": true}"),
                clients.post(orders, said + "\"limit\": 9, \"until\": \"1h\"}"))) {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body())
                    .contains("remembers no key with this hash", "header:x-api-key=16:0123456789abcdef");
        }
        assertThat(audit.all).isEmpty();
        assertThat(clients.get(orders + "?key=0123456789abcdef").body())
                .contains("\"used\":false", "\"note\":\"This instance remembers no key with this hash");
        assertThat(clients.get("/actuator/limiter/several?key=0123456789abcdef").body())
                .contains("remembers no key with this hash", "give an empty key");
    }

    @Test
    void aKeyMayReadLikeAHash() {
        String key = "/actuator/limiter/orders?key=00112233445566ff";
        assertThat(statuses(4, "/orders", "X-Api-Key", "00112233445566ff")).containsExactly(200, 200, 200, 429);

        assertThat(clients.get(key).body()).contains("\"used\":true").doesNotContain("note");
        HttpResponse<String> reset = clients.send("DELETE", key);

        assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
        assertThat(reset.body()).contains("\"used\":false").doesNotContain("note");
        assertThat(statuses(4, "/orders", "X-Api-Key", "00112233445566ff")).containsExactly(200, 200, 200, 429);

        String whole = "{\"key\": \"header:x-api-key=16:ffeeddccbbaa9988\", \"ban\": true}";
        assertThat(clients.post("/actuator/limiter/orders", whole).statusCode()).isEqualTo(200);
        assertThat(statuses(1, "/orders", "X-Api-Key", "ffeeddccbbaa9988")).containsExactly(429);
        assertThat(clients.send("DELETE", "/actuator/limiter/orders?key=ffeeddccbbaa9988")
                        .statusCode())
                .isEqualTo(200);
        assertThat(statuses(1, "/orders", "X-Api-Key", "ffeeddccbbaa9988")).containsExactly(200);
    }

    @Test
    void bansAKeyAsTheRuleDoesAndEndsIt() {
        HttpResponse<String> banned = clients.post(
                "/actuator/limiter/orders", "{\"key\": \"scraper\", \"ban\": true, \"reason\": \"ticket 9\"}");

        assertThat(banned.body()).contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M", "\"remaining\":3");
        assertThat(statuses(2, "/orders", "X-Api-Key", "scraper")).containsOnly(429);
        assertThat(statuses(1, "/orders", "X-Api-Key", "another")).containsOnly(200);
        assertThat(application.getBean(AuditEvents.class).all)
                .last()
                .satisfies(event -> assertThat(event.getType()).isEqualTo("LIMITER_KEY_BANNED"))
                .satisfies(event -> assertThat(event.getData()).containsEntry("reason", "ticket 9"));

        clients.send("DELETE", "/actuator/limiter/orders?key=scraper");
        assertThat(statuses(1, "/orders", "X-Api-Key", "scraper")).containsOnly(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            several | {"key": "", "ban": true}                  | bans nobody
            several | {"ban": true}                             | bans nobody
            orders  | {"ban": true}                             | The key of this rule is made of
            orders  | {"key": "acme", "limit": 9}               | and nothing else
            orders  | {"key": "acme", "ban": true, "limit": 9}  | and nothing else
            orders  | {"key": "acme", "ban": false}             | ends a ban
            orders  | {"key": "header:X-Api-Key=unresolved", "ban": true} | share this one
            """)
    void rejectsABanThatMeansNothing(String rule, String body, String reason) {
        HttpResponse<String> answer = clients.post("/actuator/limiter/" + rule, body);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(reason);
        assertThat(clients.get("/actuator/limiter/orders?key=acme").body()).contains("\"banned\":false");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"mode": "shadow"}     | The mode of this rule is shadow
            {"mode": "off"}        | The mode of this rule is off
            {"rollout": "0.01%"}   | enforced for 0.01% of the keys
            """)
    void rejectsABanOfAKeyThatIsServedNevertheless(String change, String reason) {
        String orders = "/actuator/limiter/orders";
        assertThat(clients.post(orders, change).statusCode()).isEqualTo(200);
        try {
            HttpResponse<String> answer = clients.post(orders, "{\"key\": \"served\", \"ban\": true}");

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains(reason);
            assertThat(clients.get(orders + "?key=served").body()).contains("\"banned\":false");
        } finally {
            clients.send("DELETE", orders);
        }
    }

    /** Actuator prefers parameters and fields of that name to the path, by which access may be granted. */
    @Test
    void theRuleIsThatOfThePath() {
        String before = clients.get("/actuator/limiter/several").body();
        for (HttpResponse<String> answer : List.of(
                clients.post(
                        "/actuator/limiter/orders", "{\"limit\": 99, \"named\": \"per-day\", \"rule\": \"several\"}"),
                clients.get("/actuator/limiter/orders?rule=several"),
                clients.send("DELETE", "/actuator/limiter/orders?rule=several"))) {
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("The path says which rule");
        }
        assertThat(clients.get("/actuator/limiter/several").body()).isEqualTo(before);
        assertThat(clients.get("/actuator/limiter/%6frders").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"limit": 1.5}                | limit  | whole number
            {"limit": "+5"}               | limit  | whole number
            {"limit": "٥"}                | limit  | whole number
            {"limit": 9, "version": "x"}  | version | whole number
            {"limit": 9, "version": ""}   | version | whole number
            """)
    void aValueOfTheWrongTypeIsNamed(String body, String where, String reason) {
        HttpResponse<String> answer = clients.post("/actuator/limiter/orders", body);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("LIM-", "\"where\":\"" + where, reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            orders  | {}                                            | orders | nothing to change | LIM-501
            orders  | null                                          | orders | nothing to change | LIM-501
            orders  | ''                                            | orders | nothing to change | LIM-501
            orders  | {"limit": 0}                                  | limit  | from 1 to 1000000000000000 | LIM-107
            orders  | {"limit": 99999999999999999999999}            | limit  | from 1 to 1000000000000000 | LIM-107
            orders  | {"burst": -99999999999999999999999}           | burst  | from 1 to 1000000000000000 | LIM-107
            orders  | {"limit": "100/m"}                            | limit  | whole number                    | LIM-102
            orders  | {"burst": "100/m"}                            | burst  | whole number | LIM-102
            orders  | {"window": "10"}                              | window | ns us ms s m h d | LIM-108
            several | {"named": "per-day", "burst": 5}              | burst  | would ignore it | LIM-204
            several | {"named": "per-week", "limit": 5}             | named  | no limit of this name | LIM-501
            Limited.annotated | {"limit": 0}                        | limit  | from 1 to 1000000000000000 | LIM-107
            orders  | {"key": "acme", "limit": 0, "until": "1h"}    | limit  | from 1 to 1000000000000000 | LIM-107
            several | {"key": "", "limit": 5, "until": "1h"}        | named  | Write which: | LIM-501
            """)
    void whatIsWrongIsToldAtTheWordThatSaysIt(String rule, String body, String where, String reason, String code) {
        HttpResponse<String> answer = clients.post("/actuator/limiter/" + rule, body);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(JsonPath.<List<Map<String, String>>>read(answer.body(), "$.problems"))
                .singleElement()
                .satisfies(problem ->
                        assertThat(problem).containsEntry("where", where).containsEntry("code", code))
                .satisfies(problem -> assertThat(problem.get("reason")).contains(reason));
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).startsWith(where);
    }

    @Test
    void anUnknownWordOfAQuestionIsRejected() {
        for (String path : List.of("/orders?kye=acme", "/orders?key=acme&kye=other")) {
            HttpResponse<String> answer = clients.get("/actuator/limiter" + path);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("is unknown. Known: ", "Did you mean ");
        }
        assertThat(clients.get("/actuator/limiter?after=0").body()).contains("\\\"after\\\" is unknown. Leave it out.");
        assertThat(clients.get("/actuator/limiter/explain?path=/orders&header.X-Api-Key=acme")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aKeyIsFoundHoweverItIsSaid() {
        String method = "/actuator/limiter/Limited.annotated?key=";
        clients.send("DELETE", method);
        assertThat(statuses(3, "/annotated")).containsExactly(200, 200, 429);
        assertThat(clients.get(method).body()).contains("\"used\":true,\"permitted\":false");
        assertThat(clients.get(method + "&resource=nothing").statusCode()).isEqualTo(400);
        clients.send("DELETE", method);
        assertThat(clients.get(method).body()).contains("\"used\":false,\"permitted\":true");

        assertThat(clients.get("/actuator/limiter/several?key=global").statusCode())
                .isEqualTo(200);
        assertThat(clients.get("/actuator/limiter/several?key=somebody").body()).contains("give an empty key");
        assertThat(clients.get("/actuator/limiter/orders").body()).contains("\"key\":[\"header:x-api-key\"]");
        assertThat(clients.get("/actuator/limiter/orders?key=a&resource=GET%20/orders")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void lookingAtAKeyTakesNothing() {
        assertThat(statuses(2, "/orders", "X-Api-Key", "seen")).containsOnly(200);
        IntStream.range(0, 5).forEach(i -> clients.get("/actuator/limiter/orders?key=seen"));

        assertThat(statuses(2, "/orders", "X-Api-Key", "seen")).containsExactly(200, 429);
    }

    @Test
    void changesALimitAtOnceAndBack() {
        assertThat(statuses(2, "/several")).containsExactly(200, 200);

        HttpResponse<String> changed =
                clients.post("/actuator/limiter/several", "{\"named\": \"PER_DAY\", \"limit\": 3}");
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(changed.body()).contains("\"limit\":3,\"window\":\"PT24H\"", "\"changed\":true");
        assertThat(statuses(2, "/several")).as("what was used stays used").containsExactly(200, 429);

        assertThat(clients.send("DELETE", "/actuator/limiter/several").body())
                .contains("\"limit\":5", "\"changed\":false");
        assertThat(statuses(3, "/several")).containsExactly(200, 200, 429);
    }

    @Test
    void changesTheLimitOfAnAnnotation() {
        assertThat(statuses(3, "/annotated")).containsExactly(200, 200, 429);

        assertThat(clients.post("/actuator/limiter/limited.ANNOTATED", "{\"limit\": 4}")
                        .body())
                .contains("\"origin\":\"@RateLimiter on ");
        assertThat(statuses(3, "/annotated")).containsExactly(200, 200, 429);
        assertThat(clients.post("/actuator/limiter/limited.Annotated", "{\"mode\": \"shadow\"}")
                        .body())
                .contains("\"mode\":\"shadow\"", "\"limit\":4,\"window\":\"PT1H\"");
        assertThat(statuses(2, "/annotated")).containsExactly(200, 200);

        clients.send("DELETE", "/actuator/limiter/Limited.annotated");
        assertThat(statuses(1, "/annotated")).containsExactly(429);
    }

    @Test
    void eachChangeOfAnAnnotatedMethodIsAnsweredAlike() {
        String counted = "/actuator/limiter/Limited.counted";
        assertThat(statuses(1, "/counted")).containsExactly(200);
        Map<String, Object> configured = read(clients.get(counted).body());
        String override = "{\"key\":\"\",\"limit\":30,\"until\":\"1h\"}";
        try {
            Map<String, Object> overridden =
                    read(clients.post(counted, override).body());
            assertThat(overridden.get("buckets").toString()).contains("\"limit\":30", "\"buckets\":5");
            assertThat(shape(overridden))
                    .isEqualTo(shape(read(clients.post(counted, override).body())));
            clients.send("DELETE", counted + "?key=&override=true");

            Map<String, Object> first =
                    read(clients.post(counted, "{\"limit\":40}").body());
            Map<String, Object> second =
                    read(clients.post(counted, "{\"limit\":50}").body());

            assertThat(shape(first)).isEqualTo(shape(second));
            assertThat(first.get("limits").toString()).contains("\"limit\":40", "\"buckets\":5");
            assertThat(shape(configured).get("limits")).isEqualTo(shape(first).get("limits"));
        } finally {
            clients.send("DELETE", counted);
        }
    }

    private static Map<String, Object> read(String body) {
        return JsonPath.read(body, "$");
    }

    /** Names without values, of nested objects as well. */
    private static Map<String, Object> shape(Map<?, ?> body) {
        Map<String, Object> shape = new TreeMap<>();
        body.forEach((name, value) -> shape.put(String.valueOf(name), shape(value)));
        return shape;
    }

    private static Object shape(Object value) {
        if (value instanceof Map<?, ?> map) {
            return shape(map);
        }
        return value instanceof List<?> list
                ? list.stream().map(EndpointTests::shape).toList()
                : "";
    }

    @Test
    void isOnJmxToo() throws JMException {
        try (ConfigurableApplicationContext managed = Applications.start(
                Limited.class,
                with(
                        RULES,
                        "spring.jmx.enabled=true",
                        "spring.jmx.default-domain=limits",
                        "management.endpoints.jmx.domain=limits",
                        "management.endpoints.jmx.exposure.include=limiter",
                        "management.endpoint.limiter.access=unrestricted"))) {
            MBeanServer server = managed.getBean(MBeanServer.class);
            assertThat(ask(server, "rules", Map.of()).toString()).contains("orders=", "several=");
            assertThat(ask(server, "rule", Map.of("rule", "orders")).toString()).contains("limit=3", "sources=");
            assertThat(ask(server, "rule", Map.of("rule", "orders", "key", "acme"))
                            .toString())
                    .contains("used=false", "remaining=3");

            Map<String, Object> change = Map.of("rule", "orders", "limit", "7", "version", "0", "reason", "too few");
            assertThat(ask(server, "change", change).toString()).contains("limit=7");
            assertThatThrownBy(() -> ask(server, "change", change)).hasStackTraceContaining("version");
            assertThatThrownBy(() -> ask(server, "change", Map.of("rule", "orders", "limit", "0")))
                    .hasStackTraceContaining("limit");
            assertThat(ask(server, "change", Map.of("rule", "orders", "mode", "shadow"))
                            .toString())
                    .contains("mode=shadow");
            assertThat(ask(server, "restore", Map.of("rule", "orders")).toString())
                    .contains("limit=3");
        }
    }

    /** An operation, its parameters by name; others are null. Only types that each client of JMX has. */
    private static Object ask(MBeanServer server, String operation, Map<String, Object> named) throws JMException {
        ObjectName name = new ObjectName("limits:type=Endpoint,name=Limiter");
        MBeanOperationInfo found = Stream.of(server.getMBeanInfo(name).getOperations())
                .filter(info -> info.getName().equals(operation))
                .findFirst()
                .orElseThrow();
        MBeanParameterInfo[] parameters = found.getSignature();
        assertThat(parameters).extracting(MBeanParameterInfo::getName).containsAll(named.keySet());
        assertThat(parameters)
                .filteredOn(parameter -> !parameter.getName().equals("who")) // Actuator's own, which it fills in itself
                .extracting(MBeanParameterInfo::getType)
                .isSubsetOf(String.class.getName(), Boolean.class.getName());
        return server.invoke(
                name,
                operation,
                Stream.of(parameters)
                        .map(parameter -> named.get(parameter.getName()))
                        .toArray(),
                Stream.of(parameters).map(MBeanParameterInfo::getType).toArray(String[]::new));
    }

    @Test
    void changesTheAutomaticLimit() {
        clients.post("/actuator/limiter/default", "{\"limit\": 1}");
        try {
            assertThat(statuses(2, "/changing")).containsExactly(200, 429);
            assertThat(clients.get("/actuator/limiter/default?resource=GET%20/changing")
                            .body())
                    .contains("\"permitted\":false");
        } finally {
            clients.send("DELETE", "/actuator/limiter/default");
        }
    }

    /** No request is decided by half of a change, and none is lost. */
    @Test
    void changesUnderLoadPermitTheLargerLimitAtMost() {
        CompletableFuture<Map<String, Long>> storm =
                CompletableFuture.supplyAsync(() -> clients.storm("/loaded", "one", "two"));
        int changes = 0;
        while (!storm.isDone() || changes % 2 == 0) {
            changes++;
            HttpResponse<String> changed =
                    clients.post("/actuator/limiter/loaded", "{\"limit\": " + (changes % 2 == 0 ? 100 : 200) + "}");
            assertThat(changed.statusCode()).isEqualTo(200);
        }
        Map<String, Long> rest = clients.storm("/loaded", "one", "two");

        assertThat(storm.join()).containsOnlyKeys("one 200", "one 429", "two 200", "two 429");
        assertThat(storm.join().get("one 200") + rest.getOrDefault("one 200", 0L))
                .isEqualTo(200);
        assertThat(storm.join().get("two 200") + rest.getOrDefault("two 200", 0L))
                .isEqualTo(200);
    }

    @Test
    void operatorsAreAudited() {
        AuditEvents audit = application.getBean(AuditEvents.class);
        audit.all.clear();

        clients.post(
                "/actuator/limiter/several",
                "{\"named\": \"per-sec\", \"limit\": 90, \"reason\": \"a\\nfair\"}",
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString("alice:a".getBytes(StandardCharsets.UTF_8)));
        clients.send("DELETE", "/actuator/limiter/orders?key=a-secret&reason=ticket%207");
        clients.send("DELETE", "/actuator/limiter/several");

        assertThat(audit.all)
                .extracting(event -> event.getPrincipal() + " " + event.getType())
                .containsExactly(
                        "alice LIMITER_RULE_CHANGED", "anonymous LIMITER_KEY_RESET", "anonymous LIMITER_RULE_CHANGED");
        assertThat(audit.all.get(0).getData())
                .containsEntry("rule", "several")
                .containsEntry("reason", "a\\u000afair")
                .hasEntrySatisfying(
                        "before", before -> assertThat(before.toString()).contains("limit=100"))
                .hasEntrySatisfying(
                        "after", after -> assertThat(after.toString()).contains("limit=90"));
        assertThat(audit.all.get(1).getData().toString()).contains("ticket 7").doesNotContain("a-secret");
    }

    @Test
    void twoOperatorsMeet() {
        String seen = clients.get("/actuator/limiter").body().replaceAll(".*\"version\":(\\d+).*", "$1");

        String change = "{\"mode\": \"enforce\", \"version\": " + seen + "}";
        assertThat(clients.post("/actuator/limiter/orders", change).statusCode())
                .isEqualTo(200);
        HttpResponse<String> late = clients.post("/actuator/limiter/orders", change);

        assertThat(late.statusCode()).isEqualTo(409);
        assertThat(late.body()).contains("by now");
        clients.send("DELETE", "/actuator/limiter/orders");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "orders  | {'limit': 0}                       | 400 | LIM-107",
                "orders  | {'limit': 'many'}                  | 400 | whole number",
                "orders  | {'limit': 1.5}                     | 400 | whole number",
                "orders  | {'window': '10'}                   | 400 | LIM-108",
                "loaded  | {'burst': 5}                       | 400 | LIM-204",
                "orders  | {'mode': 'enforced'}               | 400 | Did you mean enforce?",
                "orders  | {}                                 | 400 | LIM-501",
                "orders  | {'named': 'x', 'limit': 1}         | 400 | only one limit",
                "several | {'limit': 1}                       | 400 | Write which",
                "several | {'named': 'per-week', 'limit': 1}  | 400 | no limit of this name",
                "Limited.annotated | {'window': '1parsec'}    | 400 | LIM-108",
                "Limited.fixed     | {'burst': 5}             | 400 | LIM-204",
                "nosuch  | {'limit': 1}                       | 404 | no such rule"
            })
    void impossibleChangesAreRejectedAndChangeNothing(String rule, String change, int status, String said) {
        String before = clients.get("/actuator/limiter/" + rule).body();

        HttpResponse<String> answer = clients.post(
                "/actuator/limiter/" + rule, change.replace("'", "\"").strip());

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).contains(said);
        assertThat(clients.get("/actuator/limiter/" + rule).body()).isEqualTo(before);
    }

    @Test
    void saysWhatAKeyIsMadeOf() {
        HttpResponse<String> answer = clients.get("/actuator/limiter/default?key=x");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("GET /orders/{id}");
        assertThat(clients.get("/actuator/limiter/nosuch?key=x").statusCode()).isEqualTo(404);
    }

    @Test
    void changesNothingUnlessThatIsAllowed() {
        try (ConfigurableApplicationContext careful = Applications.start(Limited.class, RULES)) {
            Clients readers = Applications.clientsOf(careful);

            assertThat(readers.get("/actuator/limiter/orders").statusCode()).isEqualTo(200);
            assertThat(readers.post("/actuator/limiter/orders", "{\"limit\": 1}")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(readers.send("DELETE", "/actuator/limiter/orders?key=x").statusCode())
                    .isEqualTo(405);
        }
    }

    @Test
    void isNotThereUnlessItIsExposed() {
        try (ConfigurableApplicationContext closed = Applications.start(Limited.class)) {
            assertThat(Applications.clientsOf(closed).get("/actuator/limiter").statusCode())
                    .isEqualTo(404);
            assertThat(closed.getBeanNamesForType(DecisionCounts.class)).isEmpty();
        }
    }

    /** Others of its rights are there, as that to read: nobody would be banned. */
    @ParameterizedTest
    @ValueSource(strings = {"local", "allow", "deny"})
    void noBanIsToldThatRedisLacksTheRightToKeep(String onFailure, CapturedOutput output) {
        try (RedisServer redis = RedisServer.started()) {
            user(redis, "on", "nopass", "~limiter:*", "+@all", "-set");
            try (ConfigurableApplicationContext shared = Applications.start(
                    Limited.class,
                    with(
                            RULES,
                            "management.endpoint.limiter.access=unrestricted",
                            "limiter.storage=redis",
                            "limiter.redis.timeout=5s",
                            "limiter.redis.on-failure=" + onFailure,
                            redis.property().replace("//", "//limits:any@")))) {
                Clients operator = Applications.clientsOf(shared);
                for (int i = 0; i < 2; i++) {
                    HttpResponse<String> rejected =
                            operator.post("/actuator/limiter/orders", "{\"key\": \"scraper\", \"ban\": true}");
                    assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(503);
                    assertThat(rejected.body()).contains("lacks a right", "SET");
                }
                assertThat(operator.get("/actuator/limiter/orders?key=scraper").body())
                        .contains("\"banned\":false");
                assertThat(shared.getBean(AuditEvents.class).all).isEmpty();
                assertThat(output).doesNotContain("LIMITER_KEY_BANNED by");
                user(redis, "+set");
                assertThat(operator.get("/actuator/limiter/orders?key=scraper").body())
                        .contains("\"banned\":false");
                assertThat(operator.post("/actuator/limiter/orders", "{\"key\": \"scraper\", \"ban\": true}")
                                .body())
                        .contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M");
                assertThat(shared.getBean(AuditEvents.class).all).hasSize(1);
            }
        }
    }

    private static void user(RedisServer redis, String... rules) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("limits");
        Stream.of(rules).forEach(arguments::add);
        redis.ask(commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments));
    }

    @Test
    void aBanIsKeptInMemoryWhileRedisIsDown() {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext shared = Applications.start(
                        Limited.class,
                        with(
                                RULES,
                                "management.endpoint.limiter.access=unrestricted",
                                "limiter.storage=redis",
                                "limiter.redis.timeout=1s",
                                redis.property()))) {
            redis.kill();
            Clients operator = Applications.clientsOf(shared);
            HttpResponse<String> banned =
                    operator.post("/actuator/limiter/orders", "{\"key\": \"scraper\", \"ban\": true}");
            assertThat(banned.statusCode()).as(banned.body()).isEqualTo(200);
            assertThat(banned.body()).contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M");
            assertThat(shared.getBean(AuditEvents.class).all).hasSize(1);
        }
    }

    private List<Integer> statuses(int requests, String path, String... headers) {
        return IntStream.range(0, requests)
                .mapToObj(i -> clients.get(path, headers).statusCode())
                .toList();
    }

    static class AuditEvents {

        final List<AuditEvent> all = new CopyOnWriteArrayList<>();

        @EventListener
        void add(AuditApplicationEvent event) {
            if (event.getAuditEvent().getType().startsWith("LIMITER")) {
                all.add(event.getAuditEvent());
            }
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, AuditEvents.class})
    @RestController
    static class Limited {

        @GetMapping({"/orders", "/automatic", "/several", "/loaded"})
        String get() {
            return "ok";
        }

        @GetMapping("/fixed")
        @RateLimiter(limit = 100, window = "1h", algorithm = Algorithm.FIXED_WINDOW)
        String fixed() {
            return "ok";
        }

        @GetMapping("/changing")
        String changing() {
            return "ok";
        }

        @GetMapping("/counted")
        @RateLimiter(limit = 20, window = "1h", algorithm = Algorithm.SLIDING_WINDOW_COUNTER, buckets = 5)
        String counted() {
            return "ok";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 2, window = "1h")
        String annotated() {
            return "ok";
        }
    }
}
