package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Mistakes that could go unnoticed are visible in the log and at the endpoint. */
@Tag("each-line")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class SilentMistakesTests {

    /** Properties of every application in these tests. */
    private static final String[] NEEDED = {
        "management.endpoints.web.exposure.include=*",
        "management.endpoint.limiter.access=unrestricted",
        "limiter.rules.mails.limit=1",
        "limiter.rules.mails.window=1h",
        "limiter.rules.mails.key=#p0",
        "limiter.rules.shared.limit=1",
        "limiter.rules.shared.window=1h",
        "limiter.rules.shared.key=#p0",
        "limiter.rules.shared.scope=rule",
    };

    private static final String[] ONE_RULE = {
        "limiter.rules.one.paths=/typo",
        "limiter.rules.one.key=ip",
        "limiter.rules.one.limit=1",
        "limiter.rules.one.window=1h",
    };

    private static final String[] RULES = {
        "limiter.rules.typo.paths=/typo",
        "limiter.rules.typo.key=header:X-Api-Kay",
        "limiter.rules.typo.limit=1000",
        "limiter.rules.typo.window=1h",
        "limiter.rules.login.paths=/login",
        "limiter.rules.login.key=ip,param:username",
        "limiter.rules.login.limit=1000",
        "limiter.rules.login.window=1h",
        "limiter.rules.fine.paths=/fine",
        "limiter.rules.fine.key=header:X-Api-Key",
        "limiter.rules.fine.limit=1000",
        "limiter.rules.fine.window=1h",
        "limiter.rules.plans.paths=/plans",
        "limiter.rules.plans.key=ip",
        "limiter.rules.plans.limit=1000",
        "limiter.rules.plans.window=1h",
        "limiter.rules.plans.tier-by=header:X-Plan",
        "limiter.rules.plans.tiers.gold.limit=2000",
        "limiter.rules.plans.tiers.silver.limit=1500",
        "limiter.rules.queue.paths=/queue",
        "limiter.rules.queue.key=global",
        "limiter.rules.queue.limit=1",
        "limiter.rules.queue.window=1h",
        "limiter.rules.queue.max-wait=2h",
        "limiter.rules.queue.max-waiting=1",
    };

    private ConfigurableApplicationContext application;
    private Clients clients;

    @BeforeAll
    void start() {
        application = Applications.start(Limited.class, with(RULES));
        clients = Applications.clientsOf(application);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @Test
    void aPartOfTheKeyThatNoRequestHasIsReportedOnce(CapturedOutput output) {
        for (int i = 0; i < 99; i++) {
            clients.get("/typo", "X-Api-Key", "acme");
        }
        assertThat(output).doesNotContain("LIM-920");
        for (int i = 0; i < 3; i++) {
            clients.get("/typo", "X-Api-Key", "acme");
        }

        assertThat(lines(output, "LIM-920"))
                .singleElement()
                .asString()
                .contains("WARN", "limiter.rules.typo.key", "none of the first 100", "header:X-Api-Kay");
        assertThat(clients.get("/actuator/limiter/typo").body())
                .contains("\"unresolvedKeys\":{\"requests\":102,\"share\":\"100%\"}");
        assertThat(clients.get("/actuator/metrics/limiter.keys.unresolved?tag=rule:typo")
                        .body())
                .contains("\"value\":102");
    }

    @Test
    void parametersAreNotThoseOfABody(CapturedOutput output) {
        for (int i = 0; i < 100; i++) {
            clients.post("/login", "{\"username\": \"alice\"}");
        }

        assertThat(lines(output, "LIM-920"))
                .singleElement()
                .asString()
                .contains("limiter.rules.login.key", "param:username", "not from a JSON body");
    }

    @Test
    void oneRequestWithAllPartsIsEnough(CapturedOutput output) {
        clients.get("/fine", "X-Api-Key", "acme");
        for (int i = 0; i < 101; i++) {
            clients.get("/fine");
        }

        assertThat(output).doesNotContain("LIM-920");
        assertThat(clients.get("/actuator/limiter/fine").body())
                .contains("\"unresolvedKeys\":{\"requests\":101,\"share\":\"99%\"}");
    }

    @Test
    void unknownTierIsReportedOnce(CapturedOutput output) {
        for (String plan : List.of("glod", "free", "gold", "GOLD", "glod", "free")) {
            assertThat(clients.get("/plans", "X-Plan", plan).statusCode()).isEqualTo(200);
        }

        assertThat(lines(output, "LIM-923")).hasSize(2);
        assertThat(lines(output, "\"glod\""))
                .singleElement()
                .asString()
                .contains("WARN", "limiter.rules.plans.tiers", "Did you mean gold?");
        assertThat(lines(output, "\"free\"")).singleElement().asString().contains("INFO");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "DELETE"})
    void aMisspelledRuleIsNotFound(String method) {
        HttpResponse<String> answer = clients.sendBody(
                method, "/actuator/limiter/longin", "{\"limit\": 5}", "Content-Type", "application/json");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("Unknown rule. Did you mean login?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1]", "{\"limit\": {\"a\": 1}}", "{\"limit\": [1, 2]}", "{\"limit\"", "\"x\""})
    void nestedBodyIsRejectedWithTheAllowedFields(String body) {
        for (String path : List.of("/actuator/limiter", "/actuator/limiter/login")) {
            HttpResponse<String> answer = clients.post(path, body);

            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(JsonPath.<String>read(answer.body(), "$.error"))
                    .contains("one flat JSON object", "{\"limit\": 200", "LIM-501");
        }
    }

    @Test
    void problemOfAllTiersIsReportedOnce() {
        HttpResponse<String> answer = clients.post("/actuator/limiter/plans", "{\"window\": \"1x\"}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<List<Object>>read(answer.body(), "$.problems")).hasSize(1);
    }

    @Test
    void aFullQueueDoesNotPermit() {
        assertThat(clients.get("/queue").statusCode()).isEqualTo(200);
        Thread waiting = new Thread(() -> clients.get("/queue"));
        waiting.setDaemon(true);
        waiting.start();
        await().until(() -> clients.get("/actuator/limiter").body().contains("\"waiting\":1"));

        String explained = clients.get("/actuator/limiter/explain?path=/queue").body();

        assertThat(JsonPath.<String>read(explained, "$.result")).isEqualTo("rejected");
        assertThat(JsonPath.<List<Boolean>>read(explained, "$.rules[?(@.rule == 'queue')].limits[0].permitted"))
                .containsExactly(false);
        assertThat(JsonPath.<List<String>>read(explained, "$.rules[?(@.rule == 'queue')].detail"))
                .containsExactly("the queue is full");
    }

    /** A hash that matches several methods must not list the same bucket once for each of them. */
    @Test
    void theBucketOfAHashIsListedOnceWithItsMethod() {
        for (String path : List.of("/mails/out?to=ann", "/mails/out?to=ann", "/mails/in?to=ann")) {
            clients.get(path);
        }

        assertThat(JsonPath.<List<String>>read(bucketsOfRejected("mails"), "$.buckets[*].resource"))
                .containsExactly(Mails.class.getName() + ".out(java.lang.String)");
        clients.get("/shared/out?to=ann");
        clients.get("/shared/in?to=ann");
        assertThat(JsonPath.<List<Object>>read(bucketsOfRejected("shared"), "$.buckets"))
                .hasSize(1);
    }

    private String bucketsOfRejected(String rule) {
        String rejected = clients.get("/actuator/limiter/" + rule).body();
        List<String> hashes = JsonPath.read(rejected, "$.rejectedMost[*].keyHash");
        assertThat(hashes).hasSize(1);
        return clients.get("/actuator/limiter/" + rule + "?key=" + hashes.get(0))
                .body();
    }

    /** The exception has exactly the documented type, also in logs. */
    @Test
    void aRejectedCallThrowsNoSubclass() {
        clients.get("/named");

        assertThat(clients.get("/named").body()).isEqualTo(RateLimitExceededException.class.getName());
    }

    @Test
    void theModeOfAllRulesOutweighsThatOfOneAndCanChange() {
        try (ConfigurableApplicationContext shadowed =
                Applications.start(Limited.class, with(ONE_RULE, "limiter.mode=shadow"))) {
            Clients operator = Applications.clientsOf(shadowed);
            HttpResponse<String> outweighed = operator.post("/actuator/limiter/one", "{\"mode\": \"enforce\"}");
            assertThat(outweighed.statusCode()).isEqualTo(400);
            assertThat(outweighed.body()).contains("limiter.mode", "POST to the endpoint without a rule");
            for (String wrong : List.of("{}", "{\"mode\": \"enfroce\"}", "{\"mode\": \"off\", \"limit\": 1}")) {
                assertThat(operator.post("/actuator/limiter", wrong).statusCode())
                        .as(wrong)
                        .isEqualTo(400);
            }
            assertThat(statuses(operator)).containsExactly(200, 200, 200);

            HttpResponse<String> changed =
                    operator.post("/actuator/limiter", "{\"mode\": \"enforce\", \"reason\": \"ticket 7\"}");

            assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
            assertThat(JsonPath.<String>read(changed.body(), "$.mode")).isEqualTo("enforce");
            assertThat(JsonPath.<String>read(changed.body(), "$.change.reason")).isEqualTo("ticket 7");
            assertThat(JsonPath.<List<String>>read(changed.body(), "$.rules[*].mode"))
                    .containsOnly("enforce");
            assertThat(statuses(operator)).containsExactly(429, 429, 429);
            assertThat(operator.get("/named").body()).isEqualTo("ok");
            assertThat(operator.get("/named").body()).contains("RateLimitExceededException");

            assertThat(operator.post("/actuator/limiter", "{\"mode\": \"off\", \"version\": 0}")
                            .statusCode())
                    .isEqualTo(409);
            String reverted = operator.send("DELETE", "/actuator/limiter").body();
            assertThat(JsonPath.<String>read(reverted, "$.mode")).isEqualTo("shadow");
            assertThat(statuses(operator)).containsExactly(200, 200, 200);
        }
    }

    private static List<Integer> statuses(Clients operator) {
        return List.of(
                operator.get("/typo").statusCode(),
                operator.get("/typo").statusCode(),
                operator.get("/typo").statusCode());
    }

    @Test
    void theStartNamesRedisAndAFailureNamesNoClass(CapturedOutput output) {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext remote =
                        Applications.start(Limited.class, with(ONE_RULE, "limiter.storage=redis", redis.property()))) {
            assertThat(lines(output, "Rate limits:"))
                    .last()
                    .asString()
                    .contains("INFO")
                    .containsPattern("Rate limits: \\d rules, Redis at \\S+:\\d+, 1 instance$");
            redis.kill();

            HttpResponse<String> failed =
                    Applications.clientsOf(remote).send("DELETE", "/actuator/limiter/one?key=127.0.0.1");

            assertThat(failed.statusCode()).isEqualTo(503);
            assertThat(failed.body()).doesNotContain("lettuce", "Exception");
        }
    }

    private static String[] with(String[] properties, String... more) {
        return Stream.of(NEEDED, properties, more).flatMap(Stream::of).toArray(String[]::new);
    }

    private static List<String> lines(CapturedOutput output, String text) {
        return output.toString().lines().filter(line -> line.contains(text)).toList();
    }

    @Component
    static class Mails {

        @RateLimiter("mails")
        public void out(String to) {}

        @RateLimiter("mails")
        public void in(String to) {}

        @RateLimiter("shared")
        public void sharedOut(String to) {}

        @RateLimiter("shared")
        public void sharedIn(String to) {}

        @RateLimiter(limit = 1, window = "1h")
        public void named() {}
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Mails.class})
    @RestController
    static class Limited {

        private final Mails mails;

        Limited(Mails mails) {
            this.mails = mails;
        }

        @GetMapping({"/typo", "/fine", "/plans", "/queue"})
        String get() {
            return "ok";
        }

        @PostMapping("/login")
        String login() {
            return "ok";
        }

        @GetMapping("/mails/out")
        void out(String to) {
            mails.out(to);
        }

        @GetMapping("/mails/in")
        void in(String to) {
            mails.in(to);
        }

        @GetMapping("/shared/out")
        void sharedOut(String to) {
            mails.sharedOut(to);
        }

        @GetMapping("/shared/in")
        void sharedIn(String to) {
            mails.sharedIn(to);
        }

        @GetMapping("/named")
        String named() {
            mails.named();
            return "ok";
        }

        @ExceptionHandler
        String rejected(RateLimitExceededException rejection) {
            return rejection.getClass().getName();
        }
    }
}
