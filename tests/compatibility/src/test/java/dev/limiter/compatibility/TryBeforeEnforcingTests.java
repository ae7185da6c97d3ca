package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules that are enforced for some keys, and candidates that are counted next to the limits in force. */
class TryBeforeEnforcingTests {

    private static final int KEYS = 100;

    private static final String[] RULES = Applications.limiter("""
        rules:
          orders:
            { paths: "/orders,/both", scope: endpoint, key: "header:X-Api-Key", limit: 4, window: 1d,
              algorithm: fixed-window, align: first }
        """);

    private static ConfigurableApplicationContext start(String... more) {
        return Operator.start(Limited.class, RULES, more);
    }

    private static Set<String> rejected(Operator operator, String path) {
        Set<String> rejected = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            if (operator.statuses(5, path, "X-Api-Key", "key" + i).contains(429)) {
                rejected.add("key" + i);
            }
        }
        return rejected;
    }

    private static long count(Operator operator, String rule, String outcome) {
        Integer count = operator.<Map<String, Integer>>read(rule, "$.decisions").get(outcome);
        return count == null ? 0 : count;
    }

    /** For endpoints with their own buckets, and for methods. A larger share includes the keys of a smaller one. */
    @Test
    void onlyAShareOfTheKeysIsRejectedAndAlwaysTheSame() {
        try (ConfigurableApplicationContext application = start(Applications.limiter("""
            rules:
              orders: { rollout: 20% }
              report: { key: "header:X-Api-Key", limit: 4, rollout: 20% }
            """))) {
            Operator operator = Operator.of(application);
            Set<String> rejected = rejected(operator, "/orders");
            assertThat(rejected).hasSizeBetween(8, 40);
            assertThat(count(operator, "orders", "rejected")).isEqualTo(rejected.size());
            assertThat(count(operator, "orders", "shadow-rejected")).isEqualTo(KEYS - rejected.size());
            assertThat(operator.rule("orders")).contains("\"rollout\":\"20%\"");
            assertThat(rejected(operator, "/both")).isEqualTo(rejected);
            assertThat(rejected(operator, "/report")).isEqualTo(rejected);
            for (int i = 1; i < 9; i++) {
                assertThat(operator.rule("explain?path=/orders&header.X-Api-Key=key" + i))
                        .contains("\"result\":\"" + (rejected.contains("key" + i) ? "rejected" : "permitted") + "\"");
            }
            assertThat(operator.change("orders", "{'rollout':'60 %'}")).contains("\"rollout\":\"60%\"");
            assertThat(rejected(operator, "/orders")).containsAll(rejected).hasSizeBetween(45, 75);
        }
    }

    @Test
    void candidatesCountTheirOwnDecisions() {
        try (ConfigurableApplicationContext application = start(Applications.limiter("""
            # the limits of a candidate are the same for all keys
            # the end of a request that the rule rejects is not known
            rules:
              orders: { limit-resolver: "#{3}", candidate: { limit: 2 } }
              charged:
                { paths: /counted, limit: 4, window: 1d,
                  charge-if: "#{#request.getHeader('X-Wrong') != null}", candidate: { limit: 7 } }
              report: { candidate: { limit: 1 } }
              named:
                { paths: /named,
                  limits: { per-hour: { limit: 5, window: 1h }, per-day: { limit: 9, window: 1d } },
                  candidate: { limits: { per-day: { limit: 2 } } } }
            """))) {
            Operator operator = Operator.of(application);
            assertThat(operator.statuses(5, "/orders", "X-Api-Key", "acme")).containsExactly(200, 200, 200, 429, 429);
            assertThat(count(operator, "orders-candidate", "permitted")).isEqualTo(2);
            assertThat(count(operator, "orders-candidate", "shadow-rejected")).isEqualTo(3);
            assertThat(operator.rule("orders-candidate"))
                    .contains("\"candidateOf\":\"orders\"", "\"mode\":\"shadow\"", "\"limit\":2");

            operator.statuses(4, "/counted", "X-Wrong", "yes");
            assertThat(operator.statuses(10, "/counted")).containsOnly(429);
            assertThat(count(operator, "charged-candidate", "shadow-rejected")).isZero();
            assertThat(count(operator, "charged-candidate", "permitted")).isEqualTo(14);

            assertThat(operator.statuses(3, "/report")).containsOnly(200);
            assertThat(count(operator, "report-candidate", "shadow-rejected")).isEqualTo(2);
            assertThat(operator.statuses(3, "/named")).containsOnly(200);
            assertThat(count(operator, "named-candidate", "shadow-rejected")).isEqualTo(1);

            for (String json : List.of(
                    "{'limit':3}",
                    "{'mode':'enforce'}",
                    "{'key':'acme','limit':7,'until':'2h'}",
                    "{'key':'acme','ban':true}")) {
                assertThat(Operator.body(400, operator.post("orders-candidate", json)))
                        .contains("LIM-501", "the candidate of orders", "limiter.rules.orders.candidate");
            }
            operator.change("orders-candidate", "{'observe':true}");
        }
    }

    @Test
    void suggestsALimitForEachTier() {
        try (ConfigurableApplicationContext application = start(Applications.limiter("""
            rules:
              orders: { tier-by: "header:X-Plan", tiers: { gold: { limit: 100 }, free: { limit: 1 } } }
            """))) {
            Operator operator = Operator.of(application);
            assertThat(operator.status("orders?suggest=10")).isEqualTo(400);
            operator.change("orders", "{'observe':true}");
            for (int key = 1; key <= 10; key++) {
                operator.statuses(key, "/orders", "X-Api-Key", "key" + key);
                operator.statuses(2 * key, "/orders", "X-Api-Key", "gold" + key, "X-Plan", "gold");
            }

            assertThat(operator.rule("orders?suggest=10%25"))
                    .contains("\"limit\":9", "\"window\":\"PT24H\"", "\"keys\":10", "\"requests\":55")
                    .contains("\"tiers\":{\"gold\":{\"limit\":18,\"keys\":10,\"requests\":110}}");
            assertThat(operator.status("orders?suggest=all")).isEqualTo(400);

            operator.change("orders", "{'observe':false}");
            assertThat(operator.status("orders?suggest=10")).isEqualTo(400);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @GetMapping({"/orders", "/both", "/counted", "/named"})
        String get() {
            return "ok";
        }

        @GetMapping("/report")
        @RateLimiter(value = "report", limit = 5, window = "1h")
        String report() {
            return "ok";
        }
    }
}
