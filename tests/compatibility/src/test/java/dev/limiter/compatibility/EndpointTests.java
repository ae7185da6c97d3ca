package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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

/** {@code /actuator/limiter} as operators use it. Invalid requests are covered by {@code BadChangesTests}. */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class EndpointTests {

    private static final String[] RULES = Applications.limiter(
            """
            web: { default-limit: { limit: 50, window: 1h } }
            rules:
              orders:
                { paths: /orders, limit: 3, window: 1h, key: "header:X-Api-Key",
                  ban: { after: 2, within: 1h, for: 1d } }
              several:
                { paths: /several,
                  limits: { per-sec: { limit: 100, window: 1s }, per-day: { limit: 5, window: 1d, algorithm: fixed-window, align: first } } }
            """, "management.endpoints.web.exposure.include=*", "logging.level.dev.limiter.rejections=debug");

    @AutoClose
    private static final ConfigurableApplicationContext application = Operator.start(Limited.class, RULES);

    private static final Operator operator = Operator.of(application);
    private static final AuditEvents audit = application.getBean(AuditEvents.class);

    private List<Integer> orders(int requests, String key) {
        return operator.statuses(requests, "/orders", "X-Api-Key", key);
    }

    @Test
    void showsAllRules() {
        operator.statuses(1, "/automatic");

        assertThat(operator.all())
                .contains("\"limit\":100,\"window\":\"PT1S\"")
                .contains(
                        "\"orders\":{\"origin\":\"limiter.rules.orders\",\"mode\":\"enforce\",\"paths\":[\"/orders\"]")
                .contains(
                        "\"policy\":\"several-per-day\",\"algorithm\":\"fixed-window\",\"limit\":5,\"window\":\"PT24H\"")
                .contains("\"Limited.annotated\":{\"origin\":\"@RateLimiter on ")
                .contains("\"default\":{\"origin\":\"limiter.web.default-limit\"", "\"storage\":{")
                .containsPattern("\"default\":.*\"permitted\":[1-9]");
        assertThat(JsonPath.<String>read(operator.all(), "$.instance")).isNotEmpty();
        assertThat(operator.rule("orders")).contains("\"key\":[\"header:x-api-key\"]");
        assertThat(operator.status("several?key=global")).isEqualTo(200);
        assertThat(operator.rule("default"))
                .containsPattern("\"resources\":\\{\"GET /automatic\":\\{\"permitted\":[1-9]");
    }

    /** "I get 429 and should not." */
    @Test
    void explainsARejectionAndResetsTheKey() {
        assertThat(orders(6, "acme")).containsExactly(200, 200, 200, 429, 429, 429);

        assertThat(operator.rule("orders?key=acme"))
                .contains("\"permitted\":false,\"banned\":true,\"banEndsAfter\":\"PT23H59M")
                .contains("\"limit\":3,\"window\":\"PT1H\",\"permitted\":false,\"remaining\":0,\"retryAfter\":\"PT");
        for (int i = 0; i < 5; i++) {
            assertThat(operator.rule("orders?key=other"))
                    .contains("\"permitted\":true,\"banned\":false", "\"remaining\":3");
        }

        assertThat(operator.revert("orders?key=acme")).contains("\"permitted\":true,\"banned\":false");
        assertThat(orders(4, "acme")).containsExactly(200, 200, 200, 429);
    }

    /** Operators find the hash in logs or at the endpoint, which never show the key itself. */
    @Test
    void listsMostRejectedKeysByHash(CapturedOutput output) {
        Stream.of(1, 2, 3, 4)
                .map(i -> CompletableFuture.runAsync(() -> orders(100, "a crowd")))
                .toList()
                .forEach(CompletableFuture::join);

        String rule = operator.rule("orders");
        Matcher most = Pattern.compile(
                        "\"rejectedMost\":\\[\\{\"rule\":\"orders\",\"keyHash\":\"([0-9a-f]{16})\",\"rejections\":397")
                .matcher(rule);
        assertThat(most.find()).as(rule).isTrue();
        String hash = most.group(1);
        assertThat(rule).containsPattern("\"recentDecisions\":\\{[^}]*\"banned\":[1-9]");
        assertThat(operator.all()).contains("{\"rule\":\"orders\",\"keyHash\":\"" + hash);
        assertThat(rule + operator.all() + output).doesNotContain("a crowd");
        for (String outcome : List.of("rejected", "banned")) {
            assertThat(output)
                    .contains(outcome + " rule=orders limit=orders resource=\"GET /orders\" key=" + hash
                            + " retryAfter=PT");
        }

        assertThat(operator.rule("orders?key=" + hash)).contains("\"banned\":true");
        assertThat(operator.revert("orders?key=" + hash)).contains("\"banned\":false");
        assertThat(orders(1, "a crowd")).containsExactly(200);
    }

    @Test
    void aKeyMayReadLikeAHash() {
        String key = "00112233445566ff";
        assertThat(orders(4, key)).containsExactly(200, 200, 200, 429);

        assertThat(operator.rule("orders?key=" + key)).contains("\"used\":true").doesNotContain("note");
        assertThat(operator.revert("orders?key=" + key))
                .contains("\"used\":false")
                .doesNotContain("note");
        assertThat(orders(1, key)).containsExactly(200);
        assertThat(operator.rule("orders?key=0123456789abcdef"))
                .contains("\"used\":false", "\"note\":\"This instance has no record of a key with this hash");

        operator.change("orders", "{'key':'header:x-api-key=16:ffeeddccbbaa9988','ban':true}");
        assertThat(orders(1, "ffeeddccbbaa9988")).containsExactly(429);
        operator.revert("orders?key=ffeeddccbbaa9988");
        assertThat(orders(1, "ffeeddccbbaa9988")).containsExactly(200);
    }

    @Test
    void bansAKeyAsTheRuleDoesAndEndsIt() {
        assertThat(operator.change("orders", "{'key':'scraper','ban':true,'reason':'ticket 9'}"))
                .contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M", "\"remaining\":3");
        assertThat(orders(2, "scraper")).containsOnly(429);
        assertThat(orders(1, "another")).containsOnly(200);
        assertThat(audit.all)
                .last()
                .satisfies(event -> assertThat(event.getType()).isEqualTo("LIMITER_KEY_BANNED"))
                .satisfies(event -> assertThat(event.getData()).containsEntry("reason", "ticket 9"));

        operator.revert("orders?key=scraper");
        assertThat(orders(1, "scraper")).containsOnly(200);
    }

    @Test
    void unknownRulesAreNotFound() {
        assertThat(operator.status("%6frders")).isEqualTo(200);
        assertThat(operator.status("nosuch?key=x")).isEqualTo(404);
        assertThat(Operator.body(404, operator.post("orderz", "{'limit':1}")))
                .contains("Unknown rule. Did you mean orders?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        orders?after=0                   | is unknown. Known:
        orders?key=acme&kye=other        | Did you mean
        orders?key=a&key=b               | send it once
        orders?key=a&resource=GET%20/orders |
        Limited.annotated?key=&resource=nothing |
        default?key=x                    | GET /orders/{id}
        several?key=somebody             | send an empty key
        """)
    void invalidKeyIsRejected(String path, @Nullable String reason) {
        assertThat(Operator.body(400, operator.clients().get("/actuator/limiter/" + path)))
                .contains(reason == null ? "" : reason);
        Operator.body(400, operator.delete(path));
    }

    @Test
    void changesALimitAtOnceAndBack() {
        assertThat(operator.statuses(2, "/several")).containsExactly(200, 200);

        assertThat(operator.change("several", "{'named':'PER_DAY','limit':3}"))
                .contains("\"limit\":3,\"window\":\"PT24H\"", "\"changed\":true");
        assertThat(operator.statuses(2, "/several"))
                .as("what was used stays used")
                .containsExactly(200, 429);

        assertThat(operator.revert("several")).contains("\"limit\":5", "\"changed\":false");
        assertThat(operator.statuses(3, "/several")).containsExactly(200, 200, 429);
    }

    @Test
    void changesTheLimitOfAnAnnotationAndItsKey() {
        assertThat(operator.statuses(3, "/annotated")).containsExactly(200, 200, 429);
        assertThat(operator.rule("Limited.annotated?key=")).contains("\"used\":true,\"permitted\":false");
        assertThat(operator.revert("Limited.annotated?key=")).contains("\"used\":false,\"permitted\":true");
        assertThat(operator.statuses(3, "/annotated")).containsExactly(200, 200, 429);

        assertThat(operator.change("limited.ANNOTATED", "{'limit':4}")).contains("\"origin\":\"@RateLimiter on ");
        assertThat(operator.statuses(3, "/annotated")).containsExactly(200, 200, 429);
        assertThat(operator.change("limited.Annotated", "{'mode':'shadow'}"))
                .contains("\"mode\":\"shadow\"", "\"limit\":4,\"window\":\"PT1H\"");
        assertThat(operator.statuses(2, "/annotated")).containsExactly(200, 200);

        operator.revert("Limited.annotated");
        assertThat(operator.statuses(1, "/annotated")).containsExactly(429);
    }

    @Test
    void isOnJmxToo() throws JMException {
        try (ConfigurableApplicationContext managed = Operator.start(
                Limited.class,
                RULES,
                "spring.jmx.enabled=true",
                "spring.jmx.default-domain=limits",
                "management.endpoints.jmx.domain=limits",
                "management.endpoints.jmx.exposure.include=limiter")) {
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

    /** Invokes an operation with named parameters; the others are null. Uses only types that every JMX client has. */
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
    void operatorsAreAudited() {
        audit.all.clear();
        Operator.body(
                200,
                operator.post(
                        "several",
                        "{'named':'per-sec','limit':90,'reason':'a\\nfair'}",
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString("alice:a".getBytes(StandardCharsets.UTF_8))));
        operator.revert("orders?key=a-secret&reason=ticket%207");
        operator.revert("several");

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
    void changesNothingUnlessThatIsAllowedAndIsNotThereUnlessItIsExposed() {
        try (ConfigurableApplicationContext careful = Applications.start(Limited.class, RULES)) {
            Operator reader = Operator.of(careful);
            assertThat(reader.status("orders")).isEqualTo(200);
            Operator.body(405, reader.post("orders", "{'limit':1}"));
            Operator.body(405, reader.delete("orders?key=x"));
        }
        try (ConfigurableApplicationContext closed = Applications.start(Limited.class)) {
            assertThat(Operator.of(closed).status("orders")).isEqualTo(404);
            assertThat(closed.getBeanNamesForType(DecisionCounts.class)).isEmpty();
        }
    }

    /** Redis denies only writes of the ban, so that it would have no effect. */
    @ParameterizedTest
    @ValueSource(strings = {"local", "allow", "deny"})
    void banFailsIfRedisDeniesItsWrite(String onFailure, CapturedOutput output) {
        try (RedisServer redis = RedisServer.started()) {
            user(redis, "on", "nopass", "~limiter:*", "+@all", "-set");
            try (ConfigurableApplicationContext shared = Operator.start(
                    Limited.class,
                    RULES,
                    "limiter.storage=redis",
                    "limiter.redis.timeout=5s",
                    "limiter.redis.on-failure=" + onFailure,
                    redis.property().replace("//", "//limits:any@"))) {
                Operator own = Operator.of(shared);
                for (int i = 0; i < 2; i++) {
                    assertThat(Operator.body(503, own.post("orders", "{'key':'scraper','ban':true}")))
                            .contains("lacks a right", "+set");
                }
                assertThat(own.rule("orders?key=scraper")).contains("\"banned\":false");
                assertThat(shared.getBean(AuditEvents.class).all).isEmpty();
                assertThat(output).doesNotContain("LIMITER_KEY_BANNED by");
                user(redis, "+set");
                assertThat(own.rule("orders?key=scraper")).contains("\"banned\":false");
                assertThat(own.change("orders", "{'key':'scraper','ban':true}"))
                        .contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M");
                assertThat(shared.getBean(AuditEvents.class).all).hasSize(1);

                if (onFailure.equals("local")) {
                    redis.kill();
                    assertThat(own.change("orders", "{'key':'in memory','ban':true}"))
                            .contains("\"banned\":true,\"banEndsAfter\":\"PT23H59M");
                    assertThat(shared.getBean(AuditEvents.class).all).hasSize(2);
                }
            }
        }
    }

    private static void user(RedisServer redis, String... rules) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("limits");
        Stream.of(rules).forEach(arguments::add);
        redis.ask(commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments));
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

        @GetMapping({"/orders", "/automatic", "/several"})
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
