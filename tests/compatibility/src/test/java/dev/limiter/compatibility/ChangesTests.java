package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.TimeSource;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
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

/**
 * Changes by operators at run time: temporary, for one key, across restarts, and on all instances. Most tests share an
 * application and use their own keys.
 */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class ChangesTests {

    private static final String[] RULES = Applications.limiter("""
        rules:
          orders:
            { paths: /orders, limit: 3, window: 1h, key: "header:X-Api-Key",
              tier-by: "header:X-Plan", tiers: { gold: { limit: 5 } }, ban: { after: 1000, within: 1h, for: 1d } }
          several:
            { paths: /several, key: "header:X-Api-Key",
              limits: { per-sec: { limit: 100, window: 1s }, per-day: { limit: 2, window: 1d } } }
          plans:
            { paths: /plans, key: "header:X-Api-Key",
              limits: { short: { limit: 2, window: 30d }, long: { limit: 3, window: 90d } },
              tier-by: "header:X-Plan", tiers: { gold: { limits: { short: { limit: 4 }, long: { limit: 5 } } }, free: { unlimited: true } } }
        """);

    /** Records all events of applications. */
    private static final Queue<ApplicationEvent> EVENTS = new ConcurrentLinkedQueue<>();

    private static final AtomicLong LATER = new AtomicLong();

    private static final String SIGNED = "version: 7, at: 2026-11-23T08:12:04.118Z, by: ann}";

    @AutoClose
    private static ConfigurableApplicationContext shared;

    private static Operator operator;

    @BeforeAll
    static void startShared() {
        shared = start();
        operator = Operator.of(shared);
    }

    private static ConfigurableApplicationContext start(String... more) {
        return Operator.start(Limited.class, RULES, more);
    }

    private static long lines(CapturedOutput output, String pattern) {
        return Pattern.compile(pattern).matcher(output).results().count();
    }

    @Test
    void oneKeyHasAnotherLimitForAWhile() {
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(3);

        assertThat(operator.change("orders", "{'key':'acme','limit':10,'until':'2h','reason':'ticket 7'}"))
                .contains("\"limit\":10,", "\"remaining\":7", "\"reason\":\"ticket 7\"")
                .containsPattern("\"overrides\":\\[\\{\"limit\":10,\"until\":\"20[0-9T:.-]+Z\"");
        assertThat(operator.rule("orders"))
                .containsPattern("\"overrides\":\\[\\{\"keyHash\":\"[0-9a-f]{16}\",\"limit\":10")
                .contains("\"changed\":false")
                .doesNotContain("acme");
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(7);
        assertThat(operator.permitted("/orders", "other")).isEqualTo(3);
        assertThat(operator.statuses(1, "/orders", "X-Api-Key", "acme", "X-Plan", "gold"))
                .containsExactly(429);

        LATER.addAndGet(Duration.ofMinutes(121).toNanos());
        await(() -> operator.meter("limiter.overrides?tag=rule:orders") == 0);
        assertThat(operator.permitted("/orders", "acme")).isEqualTo(3);
        assertThat(operator.rule("orders")).doesNotContain("overrides");
    }

    @Test
    void overrideEndsByItsHashAndUsedPermitsStayUsed() {
        operator.change("orders", "{'key':'hashed','limit':10,'until':'1d'}");
        assertThat(operator.statuses(4, "/orders", "X-Api-Key", "hashed")).containsOnly(200);
        String hash =
                operator.<List<String>>read("orders", "$.overrides[*].keyHash").get(0);
        assertThat(operator.rule("orders?key=" + hash)).contains("\"limit\":10,");

        assertThat(operator.revert("orders?override=true&key=" + hash))
                .contains("\"limit\":3,")
                .doesNotContain("overrides");
        assertThat(operator.permitted("/orders", "hashed")).isZero();
    }

    @Test
    void overriddenKeyHasItsLimitInEveryTier() {
        for (String key : List.of("gold", "none", "free")) {
            operator.change("plans", "{'key':'" + key + "','named':'short','limit':9,'until':'1d'}");
            assertThat(operator.statuses(4, "/plans", "X-Api-Key", key, "X-Plan", key))
                    .as("the long limit of the rule")
                    .containsExactly(200, 200, 200, 429);
        }
        assertThat(operator.statuses(10, "/plans", "X-Api-Key", "other", "X-Plan", "free"))
                .containsOnly(200);
    }

    /** The tier of later requests with the key is unknown. */
    @Test
    void keyShowsWhereItStandsInEachTier() {
        assertThat(operator.statuses(3, "/plans", "X-Api-Key", "tiered", "X-Plan", "gold"))
                .containsOnly(200);
        String bucket = "$.buckets[0].";
        assertThat(operator.<Boolean>read("plans?key=tiered", bucket + "permitted"))
                .isFalse();
        assertThat(operator.<Boolean>read("plans?key=tiered", bucket + "tiers.gold.permitted"))
                .isTrue();
        assertThat(operator.<List<Integer>>read("plans?key=tiered", bucket + "tiers.gold.limits[*].remaining"))
                .contains(1);
        operator.change("plans", "{'key':'tiered','named':'short','limit':8,'until':'1h'}");
        assertThat(operator.<List<Integer>>read("plans?key=tiered", bucket + "tiers.gold.limits[*].limit"))
                .as("with what the key has for a while")
                .contains(8);
    }

    @Test
    void oneOfSeveralLimitsAndThatOfAMethodAreOverridden() {
        operator.change("several", "{'key':'named','named':'PerDay','limit':6,'until':'1d'}");
        operator.change("Limited.annotated", "{'key':'','limit':4,'until':'1d'}");

        assertThat(operator.permitted("/several", "named")).isEqualTo(6);
        assertThat(operator.permitted("/several", "not named")).isEqualTo(2);
        assertThat(operator.permitted("/annotated", "any")).isEqualTo(4);
    }

    @Test
    void changeOfARuleEndsInTime() {
        assertThat(operator.change("orders", "{'limit':10,'until':'2h','reason':'ticket 7'}"))
                .contains("\"limit\":10,", "\"changed\":true");
        assertThat(operator.rule("orders"))
                .containsPattern("\"change\":\\{\"limit\":10,\"until\":\"20[0-9T:.-]+Z\",\"reason\":\"ticket 7\"");
        assertThat(operator.permitted("/orders", "for a while")).isEqualTo(10);

        LATER.addAndGet(Duration.ofMinutes(121).toNanos());
        operator.awaitRule("orders", "\"limit\":3,");
        assertThat(operator.rule("orders")).contains("\"changed\":false").doesNotContain("\"change\":");
        assertThat(operator.permitted("/orders", "after a while")).isEqualTo(3);
    }

    @Test
    void changesOfARuleAreRevertedTogetherInTheVersionThatWasSeen() {
        long version = operator.version();
        operator.change("orders", "{'limit':4}");
        operator.change("orders", "{'mode':'off','reason':'an incident'}");
        assertThat(operator.rule("orders"))
                .contains("\"change\":{\"limit\":4,\"mode\":\"off\",\"reason\":\"an incident\",\"version\":"
                        + (version + 2));
        operator.change("several", "{'named':'per-day','limit':6}");
        operator.change("orders", "{'key':'version','limit':9,'until':'1h'}");

        Operator.body(409, operator.delete("orders?version=" + (version + 3)));
        Operator.body(409, operator.delete("orders?key=version&override=true&version=" + (version + 3)));
        Operator.body(400, operator.delete("orders?key=version&version=" + (version + 4)));
        operator.revert("orders?version=" + (version + 4));

        assertThat(operator.permitted("/orders", "reverted")).isEqualTo(3);
        assertThat(operator.permitted("/several", "not reverted")).isEqualTo(6);
        operator.revert("several");
        operator.revert("orders?key=version&override=true");
    }

    @Test
    void noChangeExceedsACap() {
        try (ConfigurableApplicationContext application = start(Applications.limiter("""
            caps:
              orders: { limit: 6, window: 1h }
              "[Limited.annotated]": { limit: 2, window: 1h }
            """))) {
            Operator own = Operator.of(application);
            for (String json : List.of(
                    "{'limit':7}",
                    "{'burst':7}",
                    "{'window':'20m'}",
                    "{'mode':'off'}",
                    "{'rollout':'50%'}",
                    "{'key':'acme','limit':7,'until':'2h'}")) {
                assertThat(Operator.body(400, own.post("orders", json))).contains("LIM-317", "limiter.caps.orders");
            }
            Operator.body(400, own.post("Limited.annotated", "{'limit':3}"));
            own.change("orders", "{'limit':6}");
            own.change("orders", "{'key':'acme','limit':5,'until':'2h'}");
            own.change("orders", "{'rollout':'100%'}");
            assertThat(own.version()).isEqualTo(3);
        }
    }

    @Test
    void reasonsHaveNoControlCharactersAndAFailingListenerHindersNoChange() {
        ApplicationListener<AuditApplicationEvent> failing = event -> {
            throw new IllegalStateException("on purpose");
        };
        shared.addApplicationListener(failing);
        EVENTS.clear();
        long version = operator.version();
        operator.change("orders", "{'limit':4,'reason':'a\\u001b[2Jb\\nc'}");
        operator.change("orders", "{'key':'reasons','limit':9,'until':'2h','reason':'a\\u202eb'}");
        shared.removeApplicationListener(failing);

        assertThat(operator.rule("orders")).contains("\"limit\":4");
        assertThat(EVENTS)
                .filteredOn(AuditApplicationEvent.class::isInstance)
                .extracting(event -> ((AuditApplicationEvent) event)
                        .getAuditEvent()
                        .getData()
                        .get("reason"))
                .containsExactly("a\\u001b[2Jb\\u000ac", "a\\u202eb");
        await(() -> EVENTS.stream()
                .filter(PayloadApplicationEvent.class::isInstance)
                .map(event -> ((PayloadApplicationEvent<?>) event).getPayload())
                .anyMatch(payload -> payload instanceof RulesChanged changed && changed.version() == version + 2));
        operator.revert("orders");
        operator.revert("orders?key=reasons&override=true");
    }

    @Test
    void changesAreStoredInAFileIfConfigured(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = folder.resolve("changes");
        String property = "limiter.changes-file=" + file;
        try (ConfigurableApplicationContext application = start(property)) {
            Operator own = Operator.of(application);
            own.change("orders", "{'limit':4}");
            own.change("orders", "{'key':'a&c=e\\n%','limit':8,'until':'1d','reason':'why & how'}");
            own.change("Limited.annotated", "{'limit':5}");
        }
        try (ConfigurableApplicationContext application = start(property)) {
            Operator own = Operator.of(application);
            assertThat(own.version()).isEqualTo(3);
            assertThat(own.rule("orders")).contains("\"limit\":4", "\"reason\":\"why & how\"");
            assertThat(own.permitted("/orders", "other")).isEqualTo(4);
            assertThat(own.permitted("/annotated", "any")).isEqualTo(5);
            assertThat(own.rule("orders?key=a%26c%3De%0A%25")).contains("\"remaining\":8");

            assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
            Path occupied = Files.createDirectories(folder.resolve("changes.new/occupied"));
            Operator.body(503, own.post("orders", "{'limit':9}"));
            assertThat(own.rule("orders")).contains("\"limit\":4").doesNotContain("\"limit\":9");
            Files.delete(occupied);
        }
        String stored = Files.readString(file);
        Files.writeString(file, "server:\n  port: 8080\n");
        try (ConfigurableApplicationContext application = start(property)) {
            Operator own = Operator.of(application);
            assertThat(output).contains("cannot be read and are not in force");
            assertThat(own.all()).contains("\"problem\":\"The changes in ", "delete the file");
            assertThat(own.rule("orders")).contains("\"limit\":3");
            Operator.body(503, own.post("orders", "{'limit':9}"));
            assertThat(file).content().contains("8080");

            Files.writeString(file, stored);
            own.awaitRule("orders", "\"limit\":4");
            assertThat(own.all()).doesNotContain("\"problem\"");
        }
    }

    @Test
    void missingFolderIsReportedOnStartup(@TempDir Path folder) throws IOException {
        try (ConfigurableApplicationContext application =
                start("limiter.changes-file=" + folder.resolve("missing/changes"))) {
            Operator own = Operator.of(application);
            assertThat(own.all()).contains("\"problem\":\"Changes cannot be stored in ", ": the folder ");
            Operator.body(503, own.post("orders", "{'limit':4}"));
            Files.createDirectories(folder.resolve("missing"));
            own.change("orders", "{'limit':4}");
            assertThat(own.all()).doesNotContain("\"problem\"");
        }
    }

    @Test
    void changesThatDoNotFitAreShownAndCanBeDeleted(@TempDir Path folder, CapturedOutput output) throws IOException {
        Path file = Files.writeString(
                folder.resolve("changes"),
                "{version: 7, changes: ["
                        + String.join(
                                ", ",
                                "{rule: gone, set: {limit: 4}, " + SIGNED,
                                "{rule: orders, set: {limits.gone.limit: 4}, " + SIGNED,
                                "{rule: several, set: {limits.per-day.limit: 5}, " + SIGNED,
                                "{rule: several, key: 'header:x-api-key=4:acme', set: {limit: 9}, until: 2099-01-01T00:00:00Z, "
                                        + SIGNED)
                        + "]}");
        try (ConfigurableApplicationContext application = start("limiter.changes-file=" + file)) {
            Operator own = Operator.of(application);
            assertThat(lines(output, "WARN.*Some changes of rules are not applied"))
                    .isEqualTo(1);
            String gone = "gone: a change is skipped. No rule has this name.";
            assertThat(own.all()).contains("\"problem\":", gone, "orders: a change is skipped. ", "several: ");
            assertThat(own.clients().get("/actuator/health").body())
                    .contains("\"status\":\"UP\"", "\"version\":7", "\"changesKeptIn\":\"" + file + "\"", gone);
            assertThat(own.permitted("/orders", "acme")).isEqualTo(3);
            assertThat(own.permitted("/several", "acme"))
                    .as("a change that fits")
                    .isEqualTo(5);
            assertThat(own.rule("orders")).contains("\"inForce\":false");
            assertThat(own.rule("several")).containsPattern("\"overrides\".*\"limit\":9.*\"inForce\":false");

            for (String revert : List.of("gone?reason=renamed", "orders", "several?key=acme&override=true")) {
                own.revert(revert);
            }
            assertThat(output).contains("LIMITER_RULE_CHANGED by anonymous", "\"renamed\"");
            assertThat(own.all()).doesNotContain("\"problem\":", "inForce");
            Operator.body(404, own.delete("gone"));
            assertThat(Files.readString(file)).doesNotContain("gone").contains("rule: several");
        }
    }

    @Test
    void instancesOnRedisShareChanges() {
        try (RedisServer redis = RedisServer.started()) {
            String[] onRedis = {
                "limiter.storage=redis", "limiter.redis.timeout=5s", redis.property(), "spring.application.name=shop"
            };
            try (ConfigurableApplicationContext first = start(onRedis);
                    ConfigurableApplicationContext second = start(onRedis)) {
                Operator one = Operator.of(first);
                Operator other = Operator.of(second);
                one.change("orders", "{'key':'acme','limit':10,'until':'1d'}");
                one.change("orders", "{'limit':4}");
                await(() -> other.version() == 2);
                assertThat(one.statuses(5, "/orders", "X-Api-Key", "acme")).containsOnly(200);
                assertThat(other.permitted("/orders", "acme")).isEqualTo(5);
                assertThat(other.permitted("/orders", "other")).isEqualTo(4);

                Operator.body(409, one.post("orders", "{'limit':5,'version':1}"));
                other.change("orders", "{'limit':5,'version':2}");
                Operator.body(409, one.post("orders", "{'limit':6,'version':2}"));

                try (ConfigurableApplicationContext third = start(onRedis)) {
                    assertThat(Operator.of(third).version()).isEqualTo(3);
                    assertThat(Operator.of(third).permitted("/orders", "late")).isEqualTo(5);
                }

                redis.kill();
                assertThat(Operator.body(503, one.post("orders", "{'limit':9}")))
                        .contains("rules stay as they are");
                assertThat(Operator.body(503, one.delete("orders?key=acme"))).doesNotContain("lettuce", "Exception");
                assertThat(one.rule("orders")).contains("\"limit\":5,");
            }
        }
    }

    @Test
    void instancesOnRedisMayHaveTheirOwn() {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext application = start(Applications.limiter("""
                    storage: redis
                    redis: { timeout: 5s, share-changes: false }
                    """, redis.property()))) {
            Operator.of(application).change("orders", "{'limit':4}");
            List<String> keys = redis.ask(commands -> commands.keys("*changes*"));
            assertThat(keys).isEmpty();
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
        static ApplicationListener<ApplicationEvent> events() {
            return EVENTS::add;
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
