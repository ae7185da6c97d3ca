package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.Clients;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Mistakes that could go unnoticed are visible in the log and at the endpoint. */
@Tag("each-line")
@ExtendWith(OutputCaptureExtension.class)
class SilentMistakesTests {

    private static final String[] RULES = Applications.limiter("""
        rules:
          mails: { limit: 1, window: 1h, key: "#p0" }
          shared: { limit: 1, window: 1h, key: "#p0", scope: rule }
          one: { paths: /one, key: ip, limit: 1, window: 1h }
          typo: { paths: /typo, key: "header:X-Api-Kay", limit: 1000, window: 1h }
          login: { paths: /login, key: "ip,param:username", limit: 1000, window: 1h }
          fine: { paths: /fine, key: "header:X-Api-Key", limit: 1000, window: 1h }
          plans:
            { paths: /plans, key: ip, limit: 1000, window: 1h, tier-by: "header:X-Plan",
              tiers: { gold: { limit: 2000 }, silver: { limit: 1500 } } }
        """);

    @AutoClose
    private static final ConfigurableApplicationContext application = Operator.start(Limited.class, RULES);

    private static final Clients clients = Applications.clientsOf(application);

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

    /** A hash that matches several methods must not list the same bucket once for each of them. */
    @Test
    void theBucketOfAHashIsListedOnceWithItsMethod() {
        for (String path : List.of("/mails/out?to=ann", "/mails/out?to=ann", "/mails/in?to=ann")) {
            clients.get(path);
        }

        assertThat(JsonPath.<List<String>>read(bucketsOfRejected("mails"), "$.buckets[*].resource"))
                .containsExactly(Mails.class.getName() + ".out(java.lang.String)");
        clients.get("/mails/shared-out?to=ann");
        clients.get("/mails/shared-in?to=ann");
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

    @Test
    void theModeOfAllRulesOutweighsThatOfOneAndCanChange() {
        try (ConfigurableApplicationContext shadowed = Operator.start(Limited.class, RULES, "limiter.mode=shadow")) {
            Operator operator = Operator.of(shadowed);
            assertThat(Operator.body(400, operator.post("one", "{'mode':'enforce'}")))
                    .contains("limiter.mode", "POST to the endpoint without a rule");
            for (String wrong : List.of("{}", "{'mode':'enfroce'}", "{'mode':'off','limit':1}")) {
                Operator.body(400, operator.post("", wrong));
            }
            assertThat(operator.statuses(3, "/one")).containsExactly(200, 200, 200);

            String changed = operator.change("", "{'mode':'enforce','reason':'ticket 7'}");
            assertThat(JsonPath.<String>read(changed, "$.mode")).isEqualTo("enforce");
            assertThat(JsonPath.<String>read(changed, "$.change.reason")).isEqualTo("ticket 7");
            assertThat(JsonPath.<List<String>>read(changed, "$.rules[*].mode")).containsOnly("enforce");
            assertThat(operator.statuses(3, "/one")).containsExactly(429, 429, 429);
            assertThat(operator.clients().get("/named").body()).isEqualTo("ok");
            assertThat(operator.clients().get("/named").body()).contains("RateLimitExceededException");

            Operator.body(409, operator.post("", "{'mode':'off','version':0}"));
            String reverted = operator.revert("");
            assertThat(JsonPath.<String>read(reverted, "$.mode")).isEqualTo("shadow");
            assertThat(operator.statuses(3, "/one")).containsExactly(200, 200, 200);
        }
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

        @GetMapping({"/one", "/typo", "/fine", "/plans"})
        String get() {
            return "ok";
        }

        @PostMapping("/login")
        String login() {
            return "ok";
        }

        @GetMapping("/mails/{method}")
        void send(@PathVariable String method, String to) {
            switch (method) {
                case "out" -> mails.out(to);
                case "in" -> mails.in(to);
                case "shared-out" -> mails.sharedOut(to);
                default -> mails.sharedIn(to);
            }
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
