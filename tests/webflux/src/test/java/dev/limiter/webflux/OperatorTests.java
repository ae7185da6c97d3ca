package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** {@code /actuator/limiter}, health and metrics of a WebFlux application. */
class OperatorTests {

    private static final String ENDPOINT = "/actuator/limiter";

    private static final Applications applications = new Applications();
    private static Clients clients;

    @BeforeAll
    static void start() {
        clients = Applications.clients(applications.start(
                Shop.class,
                """
                limiter:
                  web: {default-limit: {limit: 50, window: 1h, key: ip}, exclude: "/free/mine"}
                  rules:
                    orders: {paths: ["/orders/**"], methods: [GET], key: "header:X-Api-Key", limit: 3, window: 1h,
                      ban: {after: 100, within: 1h, for: 1h}}
                    changing: {paths: ["/failing"], limit: 100, window: 1h, key: "header:X-Api-Key"}
                    account: {paths: ["/account/**"], key: principal, limit: 2, window: 1h,
                      condition: "#{!#request.isUserInRole('ADMIN')}"}
                    early: {paths: ["/login"], phase: request, key: ip, limit: 2, window: 1h, deny: 203.0.113.0/24}
                    functional: {paths: ["/functional/**"], key: "param:id", limit: 2, window: 1h}
                """,
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.limiter.access=unrestricted",
                "--management.health.redis.enabled=false",
                "--management.endpoint.health.show-details=always"));
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    private static List<Integer> statuses(int requests, String path, String key) {
        return IntStream.range(0, requests)
                .mapToObj(i -> clients.get(path, "X-Api-Key", key).statusCode())
                .toList();
    }

    private static String get(int status, String path) {
        return body(status, clients.get(path));
    }

    private static String post(int status, String rule, String json) {
        return body(status, clients.post(ENDPOINT + "/" + rule, json.replace('\'', '"')));
    }

    private static String delete(int status, String rule) {
        return body(status, clients.send("DELETE", ENDPOINT + "/" + rule));
    }

    private static String body(int status, HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }

    private static String explain(String words) {
        return get(200, ENDPOINT + "/explain?" + words);
    }

    private static Object of(String explanation, String rule, String value) {
        List<Object> values = JsonPath.read(explanation, "$.rules[?(@.rule == '" + rule + "')]." + value);
        assertThat(values).as(explanation).hasSize(1);
        return values.get(0);
    }

    @Test
    void showsTheRules() {
        assertThat(get(200, ENDPOINT)).contains("\"orders\":{\"origin\":\"limiter.rules.orders\"");
        assertThat(get(200, ENDPOINT + "/orders")).contains("\"limit\":3", "\"key\":[\"header:x-api-key\"]");
        get(404, ENDPOINT + "/nosuch");
    }

    @Test
    void explanationIsWhatThenHappens() {
        for (int i = 0; i < 3; i++) {
            assertThat(JsonPath.<String>read(explain("path=/orders/7&header.X-Api-Key=explained"), "$.result"))
                    .isEqualTo("permitted");
            assertThat(statuses(1, "/orders/7", "explained")).containsExactly(200);
        }
        String explanation = explain("path=/orders/7&header.X-Api-Key=explained");
        assertThat(JsonPath.<String>read(explanation, "$.result")).isEqualTo("rejected");
        assertThat(JsonPath.<String>read(explanation, "$.resource")).isEqualTo("GET /orders/{id}");
        assertThat(JsonPath.<String>read(explanation, "$.handler")).contains("Shop$Controller#order(");
        assertThat(of(explanation, "orders", "because")).isEqualTo("paths: /orders/**");
        assertThat(of(explanation, "default", "because")).isEqualTo("an enforced rule with paths applies");
        assertThat(of(explanation, "functional", "because")).isEqualTo("paths: none matches");
        assertThat(statuses(1, "/orders/7", "explained")).containsExactly(429);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        method=POST&path=/orders               | orders     | because | methods: not for POST
        path=/account/1&principal=ann          | account    | result  | permitted
        path=/account/1&principal=bob&role=ADMIN | account  | result  | skipped
        path=/login&ip=203.0.113.7             | early      | result  | denied
        path=/login&ip=2001:db8::7             | early      | result  | permitted
        path=/functional/7?id%3D7              | functional | key     | ["param:id"]
        path=/functional/7?id%3D7              | functional | sharedByAllWithoutOne | false
        path=/plain                            | Controller.plain | because | @RateLimiter is on the handler method
        path=/free/mine                        | default    | because | limiter.web.exclude matches
        method=DELETE&path=/free/mine          | default    | because | no endpoint matches this request
        path=/actuator/health                  | default    | because | endpoints of Actuator are not limited
        path=/unserved                         | default    | because | @RateLimiter is on the handler method, or no endpoint of the application matches
        method=OPTIONS&path=/plain&header.Origin=http://a.example&header.Access-Control-Request-Method=GET | default | because | CORS preflights are not charged
        """)
    void explainsEachPartOfARequest(String words, String rule, String member, String value) {
        assertThat(of(explain(words), rule, member)).hasToString(value);
    }

    @ParameterizedTest
    @CsvSource({
        "explain, must begin with a slash",
        "explain?path=/orders/1&colour=red, is unknown. Known are path",
        "orders?kye=acme, Did you mean",
        "orders?key=a&key=b, times"
    })
    void rejectsParametersThatItDoesNotKnow(String path, String reason) {
        assertThat(get(400, ENDPOINT + "/" + path)).contains(reason);
    }

    @Test
    void limitIsChangedAndRestored() {
        assertThat(post(200, "changing", "{'limit':2}")).contains("\"limit\":2", "\"changed\":true");
        assertThat(statuses(3, "/failing", "a")).containsExactly(410, 410, 429);
        assertThat(delete(200, "changing")).contains("\"limit\":100", "\"changed\":false");
        assertThat(statuses(1, "/failing", "a")).containsExactly(410);
        assertThat(post(409, "changing", "{'limit':2,'version':99}")).contains("version");
        post(400, "changing", "{'limit':0}");
        post(400, "changing", "{'limti':2}");
        post(400, "changing", "{'limit'");
        post(404, "nosuch", "{'limit':2}");
    }

    @Test
    void keysAreOverriddenBannedAndReset() {
        assertThat(post(200, "orders", "{'key':'big','limit':5,'until':'1h'}")).contains("\"limit\":5");
        assertThat(statuses(6, "/orders/1", "big")).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(statuses(4, "/orders/1", "small")).containsExactly(200, 200, 200, 429);
        assertThat(delete(200, "orders?key=small")).contains("\"permitted\":true");
        assertThat(statuses(1, "/orders/1", "small")).containsExactly(200);
        assertThat(get(200, ENDPOINT + "/orders?key=small")).contains("\"remaining\":2");
        post(200, "orders", "{'key':'small','ban':true}");
        assertThat(statuses(1, "/orders/1", "small")).containsExactly(429);
        delete(200, "orders?key=small");
        assertThat(statuses(1, "/orders/1", "small")).containsExactly(200);
        delete(200, "orders?key=big&override=true");
    }

    @Test
    void healthAndMetricsAreShown() {
        statuses(1, "/stock/tea", "a");
        assertThat(JsonPath.<String>read(get(200, "/actuator/health"), "$.components.limiter.status"))
                .isEqualTo("UP");
        String decisions =
                get(200, "/actuator/metrics/limiter.decisions?tag=rule:default&tag=resource:GET%20/stock/%7Bitem%7D");
        assertThat(JsonPath.<Double>read(decisions, "$.measurements[0].value")).isPositive();
    }

    @Test
    void endpointMayHaveAPortOfItsOwnAndTheApplicationABasePath() {
        ConfigurableApplicationContext application = applications.start(
                Shop.class,
                "limiter.rules.orders: {paths: [\"/orders/**\"], key: ip, limit: 3, window: 1h}",
                "--management.server.port=0",
                "--spring.webflux.base-path=/shop",
                "--management.endpoints.web.exposure.include=limiter");
        Clients managers =
                new Clients(application.getEnvironment().getRequiredProperty("local.management.port", Integer.class));
        assertThat(body(200, managers.get(ENDPOINT))).contains("\"orders\"");
        for (String path : List.of("/orders/7", "/shop/orders/7")) {
            assertThat(body(200, managers.get(ENDPOINT + "/explain?path=" + path)))
                    .contains("GET /orders/{id}", "paths: /orders/**");
        }
        body(400, managers.get(ENDPOINT + "/orders?kye=a"));
    }
}
