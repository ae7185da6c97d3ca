package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/** A charge that does not stay is given back before the client has its answer. */
@ExtendWith(OutputCaptureExtension.class)
@TestPropertySource(
        properties = {
            "limiter.rules.failed.paths=/failed/**",
            "limiter.rules.failed.key=param:client",
            "limiter.rules.failed.limit=1",
            "limiter.rules.failed.window=1h",
            "limiter.rules.failed.charge-if=#{#response.status >= 400}",
            "limiter.rules.served.paths=/served/**",
            "limiter.rules.served.key=param:client",
            "limiter.rules.served.limit=1",
            "limiter.rules.served.window=1h",
            "limiter.rules.served.charge-if=#response.status < 400",
            "limiter.rules.login.paths=/login",
            "limiter.rules.login.key=param:client",
            "limiter.rules.login.limit=10000",
            "limiter.rules.login.window=1h",
            "limiter.rules.login.charge-if=#{#response.status == 401}",
            "limiter.rules.two-first.paths=/two",
            "limiter.rules.two-first.limit=9",
            "limiter.rules.two-first.window=1h",
            "limiter.rules.two-second.paths=/two",
            "limiter.rules.two-second.limit=9",
            "limiter.rules.two-second.window=1h",
            "limiter.rules.two-second.charge-if=#{#response.getHeader('X-Free') == null}",
            "limiter.rules.two-third.paths=/two",
            "limiter.rules.two-third.mode=shadow",
            "limiter.rules.two-third.limit=9",
            "limiter.rules.two-third.window=1h",
            "limiter.rules.two-third.charge-if=false",
            "limiter.rules.early.paths=/early/**",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.key=param:client",
            "limiter.rules.early.limit=1",
            "limiter.rules.early.window=1h",
            "limiter.rules.early.charge-if=#response.status == 404",
            "limiter.rules.broken.paths=/broken",
            "limiter.rules.broken.limit=1",
            "limiter.rules.broken.window=1h",
            "limiter.rules.broken.charge-if=#response.getHeader('X-Missing').length() > 3",
            "limiter.web.default-limit.limit=1",
            "limiter.web.default-limit.window=1h",
            "limiter.web.default-limit.charge-if=#response.status == 404",
            "limiter.web.exclude=/error",
        })
class ChargeIfTests extends WebTestSupport {

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @Test
    void exactlyTheFailuresAreCharged() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(8);
        int failures = 0;
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                String url = "/login?client=many&password=" + (i % 3 == 0 ? "wrong" : "right");
                answers.add(clients.submit(() -> get(url).statusCode()));
            }
            for (Future<Integer> answer : answers) {
                failures += answer.get() == 401 ? 1 : 0;
                assertThat(answer.get()).isIn(200, 401);
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(failures).isEqualTo(3_334);
        assertThat(remaining("login", "many")).isEqualTo(10_000 - failures);
    }

    /** The next request comes as soon as the first byte of the last answer is there. */
    @Test
    void whoAsksOneAfterTheOtherIsNeverRejectedForWhatWasGivenBack() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            try (Socket connection = open("/failed/writer?client=sequential")) {
                assertThat(RawClient.statusOf(connection)).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse-slow", "stream-slow"})
    void isSettledWhenTheFirstByteIsThere(String path) throws Exception {
        try (Socket connection = open("/failed/" + path + "?client=" + path)) {
            InputStream in = connection.getInputStream();
            assertThat(in.read()).isEqualTo('H');
            assertThat(remaining("failed", path)).isEqualTo(1);
        } finally {
            ChargeIfEndpoints.GATE.release();
        }
    }

    @Test
    void whoIsGoneIsChargedByWhatTheAnswerWouldHaveBeen() throws Exception {
        open("/failed/slow-status?client=gone").close();
        open("/served/slow-status?client=gone").close();
        ChargeIfEndpoints.ENTERED.acquire(2);
        ChargeIfEndpoints.GATE.release(2);

        awaitRemaining("served", "gone", remaining -> remaining == 1);
        awaitRemaining("failed", "gone", remaining -> remaining == 0);
    }

    @Test
    void onlyTheRuleThatSaysSoGivesBack() throws Exception {
        get("/two?free=false");
        HttpResponse<String> free = get("/two?free=true");

        assertThat(field(free, "RateLimit")).isEqualTo("\"two-first\";r=7;t=2800, \"two-second\";r=8;t=3200");
        assertThat(limiters.peek(rule("two-third"), "").remaining()).isEqualTo(9);
    }

    @Test
    void anExpressionThatFailsChargesAndDisturbsNothing(CapturedOutput output) throws Exception {
        HttpResponse<String> response = get("/broken");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("served");
        assertThat(get("/broken").statusCode()).isEqualTo(429);
        assertThat(output)
                .containsOnlyOnce("cannot be decided; it stays charged")
                .contains("limiter.rules.broken.charge-if");
    }

    @Test
    void permitsTakenOnArrivalAreGivenBack() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> served = get("/early/found");
            assertThat(served.statusCode()).isEqualTo(200);
            assertThat(field(served, "RateLimit")).isEqualTo("\"early\";r=1;t=3600");
        }
        assertThat(get("/early/missing").statusCode()).isEqualTo(404);
        assertThat(get("/early/found").statusCode()).isEqualTo(429);
    }

    @Test
    void automaticLimitMayHaveChargeIf() throws Exception {
        assertThat(get("/automatic?found=true").statusCode()).isEqualTo(200);
        assertThat(get("/automatic?found=true").statusCode()).isEqualTo(200);
        assertThat(get("/automatic?found=false").statusCode()).isEqualTo(404);
        assertThat(get("/automatic?found=true").statusCode()).isEqualTo(429);
    }

    private Socket open(String path) throws IOException {
        return new RawClient(port()).begin(path);
    }

    private Rule rule(String name) {
        return rules.current().find(name).orElseThrow().rule();
    }

    private long remaining(String rule, String client) {
        return limiters.peek(rule(rule), "param:client=" + client.length() + ":" + client)
                .remaining();
    }

    private void awaitRemaining(String rule, String client, LongPredicate expected) {
        Conditions.await(() -> expected.test(remaining(rule, client)));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ChargeIfEndpoints.class})
    static class Application {}
}
