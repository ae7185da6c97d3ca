package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.testkit.Clients;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** {@code /actuator/limiter/explain} predicts what happens. */
class ExplainTests {

    private static final String[] RULES =
            Applications.limiter("""
                web:
                  { default-limit: { limit: 30, window: 1h, key: ip }, exclude: /free/**,
                    trusted-proxies: "127.0.0.1/32,::1/128" }
                rules:
                  orders:
                    { paths: /orders/**, methods: "GET,POST", key: "header:X-Api-Key",
                      limits: { few: { limit: 5, window: 1h }, cost: { limit: 40, window: 1h, cost: "#{#request.getParameter('many') == null ? 1 : 9}" } },
                      condition: "#{#request.getHeader('X-Skip') != 'yes'}", ban: { after: 3, within: 1h, for: 1d } }
                  login:
                    { paths: /login, phase: request, key: ip, limit: 4, window: 1h, deny: 203.0.113.0/24,
                      allow: 198.51.100.0/24 }
                  watching: { paths: "/orders/{id}", mode: shadow, limit: 2, window: 1h }
                  "off": { paths: /orders/**, mode: "off", limit: 1, window: 1h }
                  resolved:
                    { paths: /resolved, limit: 2, window: 1h, key: "header:X-Api-Key",
                      limit-resolver: "#{#request.getHeader('X-Limit') == null ? null : 100}" }
                  mails:
                    { paths: /mails, algorithm: leaky-bucket, limit: 1, window: 10s, max-wait: 1m, max-waiting: 1,
                      key: "header:X-Api-Key" }
                  prints:
                    { paths: /prints, algorithm: concurrency, limit: 1, max-wait: 1m, max-waiting: 1,
                      key: "header:X-Api-Key" }
                  early: { paths: /early/**, phase: request, limit: 3, window: 1h, scope: endpoint }
                  callers: { paths: /callers, limit: 3, window: 1h, key: caller }
                  broken: { paths: /broken, limit: 9, window: 1h, key: "#{#request.getHeader('X-Api-Key').length()}" }
                """, "management.endpoints.web.exposure.include=limiter");

    private static volatile CountDownLatch released = new CountDownLatch(0);

    @AutoClose
    private static final ConfigurableApplicationContext application = Applications.start(Limited.class, RULES);

    private static final Clients clients = Applications.clientsOf(application);

    private Map<String, Object> explain(String... words) {
        HttpResponse<String> answer = clients.get(query(words));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParserFactory.getJsonParser().parseMap(answer.body());
    }

    private static String query(String... words) {
        StringBuilder query = new StringBuilder("/actuator/limiter/explain");
        for (int i = 0; i < words.length; i += 2) {
            query.append(i == 0 ? '?' : '&')
                    .append(words[i])
                    .append('=')
                    .append(URLEncoder.encode(words[i + 1], StandardCharsets.UTF_8));
        }
        return query.toString();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> rules(Map<String, Object> explanation) {
        Map<String, Map<String, Object>> byName = new TreeMap<>();
        ((List<Map<String, Object>>) explanation.get("rules"))
                .forEach(rule -> byName.put((String) rule.get("rule"), rule));
        return byName;
    }

    @Test
    void predictsTheResult() {
        Random random = new Random(1);
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String path = one(random, "/orders", "/orders/4", "/orders/4?many=1", "/login", "/free/all", "/annotated")
                    .replace("4", String.valueOf(random.nextInt(3)));
            String method = one(random, "GET", "GET", "GET", "POST", "DELETE");
            String address = one(random, "192.0.2.1", "192.0.2.2", "203.0.113.9", "198.51.100.7", "2001:db8::5");
            String key = one(random, "ann", "bob", "eve");
            String skip = random.nextInt(8) == 0 ? "yes" : "no";
            String described = "method " + method + " path " + path + " ip 127.0.0.1 header.X-Forwarded-For " + address
                    + " header.x-api-key " + key + " header.X-Skip " + skip;
            String result = (String) explain(described.split(" ")).get("result");
            int status = clients.send(method, path, "X-Forwarded-For", address, "X-Api-Key", key, "X-Skip", skip)
                    .statusCode();
            assertThat(result)
                    .as(i + ": " + method + " " + path + " of " + key + " at " + address + " was answered " + status)
                    .isIn(
                            status == 403
                                    ? List.of("denied")
                                    : status == 429 ? List.of("rejected", "banned") : List.of("permitted"));
            seen.add(result);
        }
        assertThat(seen).contains("permitted", "rejected", "banned", "denied");
    }

    private static String one(Random random, String... some) {
        return some[random.nextInt(some.length)];
    }

    @Test
    void explainsWhyEachRuleAppliesOrNot() {
        String described = "path http://localhost/orders/42?page=1 ip 192.0.2.9 header.X-Api-Key why principal alice";
        Map<String, Object> explanation = explain(described.split(" "));

        assertThat(explanation)
                .containsEntry("request", "GET /orders/42")
                .containsEntry("client", "192.0.2.9")
                .containsEntry("principal", "alice")
                .containsEntry("resource", "GET /orders/{id}")
                .containsEntry("result", "permitted");
        assertThat((String) explanation.get("handler")).contains("Limited#order");
        Map<String, Map<String, Object>> rules = rules(explanation);
        assertThat(rules.get("orders"))
                .containsEntry("applies", true)
                .containsEntry("because", "paths: /orders/**")
                .containsEntry("mode", "enforce")
                .containsEntry("phase", "endpoint")
                .containsEntry("sharedByAllWithoutOne", false)
                .containsEntry("key", List.of("header:x-api-key"));
        assertThat(rules.get("orders").get("limits").toString()).contains("policy=orders-few", "remaining=5", "cost=1");
        assertThat(rules.get("watching")).containsEntry("applies", true).containsEntry("mode", "shadow");
        assertThat(rules.get("off")).containsEntry("applies", false).containsEntry("because", "mode: off");
        assertThat(rules.get("login")).containsEntry("because", "paths: none matches");
        assertThat(rules.get("default")).containsEntry("because", "an enforced rule with paths applies");
        assertThat(explanation.toString()).doesNotContain("why,").doesNotContain(":why");
    }

    @Test
    void resolvedLimitIsThatOfTheKeyAndNotOfTheDescribedRequest() {
        assertThat(explain("path", "/resolved", "header.X-Api-Key", "victim", "header.X-Limit", "yes")
                        .toString())
                .contains("limit=100");
        assertThat(clients.get("/actuator/limiter/resolved?key=victim").body()).contains("\"limit\":2,");
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get("/resolved", "X-Api-Key", "contract", "X-Limit", "yes")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(clients.get("/actuator/limiter/resolved?key=contract").body())
                .contains("\"permitted\":true", "\"limit\":100,")
                .doesNotContain("\"permitted\":false");
    }

    @Test
    void showsSharedKeysExemptionsAnnotationsAndFailures() {
        assertThat(rules(explain("path", "/orders")).get("orders")).containsEntry("sharedByAllWithoutOne", true);
        assertThat(rules(explain("path", "/orders", "header.x-skip", "yes")).get("orders"))
                .containsEntry("result", "skipped")
                .containsEntry("detail", "condition");
        assertThat(rules(explain("path", "/login", "ip", "198.51.100.1")).get("login"))
                .containsEntry("result", "skipped")
                .containsEntry("detail", "allow");
        assertThat(rules(explain("path", "/unused")).get("Limited.unused"))
                .containsEntry("because", "@RateLimiter is on the handler method")
                .containsEntry("result", "permitted");
        Map<String, Object> broken = explain("path", "/broken");
        assertThat(broken).containsEntry("result", "undecided");
        assertThat((String) rules(broken).get("broken").get("detail")).contains("limiter.rules.broken.key");
        assertThat(clients.get("/broken").statusCode()).isEqualTo(500);
    }

    @Test
    void argumentsOfAMethodAreUnknown() {
        Map<String, Object> explanation = explain("path", "/accounts/7");

        assertThat(explanation).containsEntry("result", "undecided");
        assertThat((String) rules(explanation).get("Limited.account").get("detail"))
                .contains("#id", "the arguments are unknown without a call");
        assertThat(explain("path", "/accounts/7", "method", "DELETE")).containsEntry("result", "permitted");
    }

    /** With a full queue, and with a queue for a permit that is held. */
    @ParameterizedTest
    @ValueSource(strings = {"/mails", "/prints"})
    void predictsWaiting(String path) throws Exception {
        released = new CountDownLatch(1);
        List<Future<Integer>> sent = new ArrayList<>();
        ExecutorService senders = Executors.newCachedThreadPool();
        try {
            for (String expected : List.of("permitted", "waits", "rejected")) {
                await(() -> expected.equals(
                        explain("path", path, "header.X-Api-Key", "w").get("result")));
                if (!expected.equals("rejected")) {
                    sent.add(senders.submit(
                            () -> clients.get(path, "X-Api-Key", "w").statusCode()));
                }
            }
            assertThat(clients.get(path, "X-Api-Key", "w").statusCode()).isEqualTo(429);
        } finally {
            released.countDown();
            for (Future<Integer> each : sent) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(200);
            }
            senders.shutdownNow();
        }
    }

    @Test
    void beansFindTheDescribedRequestAndNothingOfTheOperator() {
        explain("path", "/callers");
        explain("path", "/callers", "principal", "alice");

        assertThat(Caller.seen).containsExactly("null null at /callers", "null alice at /callers");
    }

    @Test
    void preflightsAreChargedUnlessCorsHandlesThem() {
        String[] early = preflight("/early/a");
        assertThat(rules(explain(early)).get("early"))
                .as("no CORS is configured for this path, so that a filter does not let it by")
                .containsEntry("applies", true);
        String[] withCookie = Arrays.copyOf(early, early.length + 2);
        withCookie[early.length] = "cookie.SESSION";
        withCookie[early.length + 1] = "1";
        assertThat(rules(explain(withCookie)).get("early")).containsEntry("applies", true);
        assertThat(rules(explain(preflight("/shared"))).get("default"))
                .containsEntry("applies", false)
                .containsEntry("because", "CORS preflights are not charged");
    }

    private static String[] preflight(String path) {
        String described = "path " + path
                + " method OPTIONS header.Origin https://a.example header.Access-Control-Request-Method GET";
        return described.split(" ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "path=orders | must begin with a slash",
                "path=/a%25zz | Malformed escape pair",
                "path=/orders&ip=localhost | must be an address",
                "path=/orders&ip=::1&ip=::1 | Send it once",
                "path=/orders&heder.X=1 | is unknown. Known are",
                "method=GET | must begin with a slash"
            })
    void reportsInvalidParameters(String query, String message) {
        HttpResponse<String> answer = clients.get("/actuator/limiter/explain?" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @GetMapping({"/orders", "/free/all", "/login", "/broken", "/resolved"})
        String get() {
            return "ok";
        }

        @PostMapping({"/orders", "/login"})
        String post() {
            return "ok";
        }

        @GetMapping("/orders/{id}")
        String order(@PathVariable String id) {
            return "ok";
        }

        @DeleteMapping("/orders/{id}")
        String delete(@PathVariable String id) {
            return "ok";
        }

        @GetMapping("/accounts/{id}")
        @RateLimiter(limit = 20, window = "1h", key = "#id")
        String account(@PathVariable String id) {
            return "ok";
        }

        @DeleteMapping("/accounts/{id}")
        @RateLimiter(limit = 20, window = "1h", key = "ip")
        String closed(@PathVariable String id) {
            return "ok";
        }

        @GetMapping({"/mails", "/early/{name}", "/callers"})
        String any() {
            return "ok";
        }

        @GetMapping("/prints")
        String print() throws InterruptedException {
            released.await();
            return "ok";
        }

        @CrossOrigin("https://a.example")
        @GetMapping("/shared")
        String shared() {
            return "ok";
        }

        @Bean
        Caller caller() {
            return new Caller();
        }

        /** No test sends requests to it. */
        @GetMapping("/unused")
        @RateLimiter(limit = 20, window = "1h")
        String unused() {
            return "ok";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 20, window = "1h")
        String annotated() {
            return "ok";
        }
    }

    /** Resolves the caller independently of the given request. */
    static final class Caller implements KeyResolver {

        static final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public @Nullable String resolve(RateLimitContext context) {
            Authentication user = SecurityContextHolder.getContext().getAuthentication();
            HttpServletRequest request =
                    ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest();
            seen.add(user + " " + request.getRemoteUser() + " at " + request.getRequestURI());
            return request.getRemoteUser();
        }
    }
}
