package dev.limiter.operations;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Load;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Incidents on instances of the sample, all at once: each raises its alert and no other, and the first command of that alert's
 * page finds the cause.
 */
@Tag("long")
class StagedIncidentsTests {

    private static final Log logger = LogFactory.getLog(StagedIncidentsTests.class);

    /** On a machine that has nothing else to do, the last one fires within a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final String FIRING = "max_over_time(ALERTS{alertname=~\"Limiter.*\", alertstate=\"firing\"}[10m])";

    /** Alerts by incident, which is the name of the application. */
    private static final Map<String, Set<String>> EXPECTED = new TreeMap<>(Map.ofEntries(
            entry("flood", Set.of("LimiterRejections")),
            entry("low-limit", Set.of("LimiterRejectionsAfterChange")),
            entry("near", Set.of("LimiterNearLimit")),
            entry("redis-killed", Set.of("LimiterBreakerOpen")),
            entry("queue", Set.of("LimiterQueueGrows")),
            entry("guesser", Set.of("LimiterBans"))));

    private static final RedisServer redis = RedisServer.started();
    private static final Samples samples = new Samples();
    private static final Load load = new Load();
    private static Clients flooded;
    private static Clients changed;
    private static Clients near;
    private static Clients withoutRedis;
    private static Clients queueing;
    private static Clients guessed;
    private static Prometheus prometheus;

    @BeforeAll
    static void stage(@TempDir Path folder) throws IOException {
        flooded = samples.start("flood");
        changed = samples.start("low-limit");
        near = samples.start("near");
        withoutRedis = samples.startOn(redis, "redis-killed");
        queueing = samples.start("queue", "--limiter.rules.mails.max-wait=5m");
        guessed = samples.start("guesser");
        prometheus = Prometheus.start(folder, OperationsPack.RULES, samples.ports());
        load.send(10, request -> changed.get("/catalog", "X-Api-Key", "key-" + request % 200));
        load.send(5, request -> withoutRedis.get("/catalog", "X-Api-Key", "key-" + request % 200));
        Conditions.await(() ->
                prometheus.ask("increase(limiter_decisions_total[1m]) > 20").size() == 2);
    }

    @Test
    void eachIncidentRaisesItsAlertAndThatAlone() {
        assertThat(alerts()).as("before the incidents").isEmpty();

        load.send(20, request -> flooded.get("/orders/1"));
        assertThat(changed.post("/actuator/limiter/catalog", "{\"limit\": 1, \"reason\": \"ticket 7\"}")
                        .statusCode())
                .isEqualTo(200);
        // each key uses all of its limit, and no more
        load.send(10, request -> near.get("/catalog", "X-Api-Key", "key-" + request / 10));
        redis.kill();
        // two a second may leave
        load.send(4, 240, request -> queueing.send("POST", "/mails"));
        load.send(3, request -> guessed.send("POST", "/login?user=ann&password=guess" + request));

        assertThat(alertsWithin(PATIENCE)).isEqualTo(EXPECTED);
        findsTheCause();
        // and none comes later
        prometheus.awaitEvaluations(10);
        assertThat(alerts()).isEqualTo(EXPECTED);
    }

    private static void findsTheCause() {
        String flood = run(flooded, "LimiterRejections", "default");
        assertThat(JsonPath.<String>read(flood, "$.rejectedMost[0].rule")).isEqualTo("default");
        assertThat(JsonPath.<Integer>read(flood, "$.rejectedMost[0].rejections"))
                .isGreaterThan(100);

        String change = run(changed, "LimiterRejectionsAfterChange", "catalog");
        assertThat(JsonPath.<Integer>read(change, "$.change.limit")).isEqualTo(1);
        assertThat(JsonPath.<String>read(change, "$.change.reason")).isEqualTo("ticket 7");

        String little = run(near, "LimiterNearLimit", "catalog");
        assertThat(JsonPath.<Integer>read(little, "$.recentDecisions.permitted"))
                .isGreaterThan(100);
        assertThat(JsonPath.<Integer>read(little, "$.limits[0].limit")).isEqualTo(10);

        assertThat(run(withoutRedis, "LimiterBreakerOpen", "")).contains("\"UNKNOWN\"", "does not decide");

        String queue = run(queueing, "LimiterQueueGrows", "mails");
        assertThat(JsonPath.<Integer>read(queue, "$.limits[0].limit")).isEqualTo(2);
        assertThat(JsonPath.<Integer>read(queue, "$.recentDecisions.permitted")).isPositive();

        String bans = run(guessed, "LimiterBans", "login");
        assertThat(JsonPath.<Integer>read(bans, "$.recentDecisions.banned")).isGreaterThan(10);
        assertThat(JsonPath.<String>read(bans, "$.rejectedMost[0].rule")).isEqualTo("login");
    }

    private static String run(Clients instance, String alert, String rule) {
        HttpResponse<String> answer = instance.get(OperationsPack.firstCommand(alert, rule));
        assertThat(answer.statusCode()).as(alert).isEqualTo(200);
        return answer.body();
    }

    /** Those that have fired, as soon as they are as many as expected. */
    private static Map<String, Set<String>> alertsWithin(Duration patience) {
        long start = System.nanoTime();
        Conditions.isMetWithin(patience, () -> alerts().keySet().equals(EXPECTED.keySet()));
        Map<String, Set<String>> fired = alerts();
        logger.info("Fired after " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s: " + fired);
        return fired;
    }

    /** All that have fired since the start, by incident. */
    private static Map<String, Set<String>> alerts() {
        return prometheus.ask(FIRING).stream()
                .collect(Collectors.groupingBy(
                        labels -> labels.get("application"),
                        TreeMap::new,
                        Collectors.mapping(labels -> labels.get("alertname"), Collectors.toSet())));
    }

    @AfterAll
    static void stop() {
        load.close();
        if (prometheus != null) {
            prometheus.close();
        }
        samples.close();
        redis.close();
    }
}
