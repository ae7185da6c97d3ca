package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Refunds are complete before the client has its response. */
@ExtendWith(OutputCaptureExtension.class)
@Yml("""
        limiter:
          web: { default-limit: { limit: 1, window: 1h, charge-if: '#response.status == 404' }, exclude: /error }
          rules:
            failed: { paths: /failed/**, key: param:client, limit: 1, window: 1h, charge-if: '#{#response.status >= 400}' }
            login: { paths: /login, key: param:client, limit: 10000, window: 1h, charge-if: '#{#response.status == 401}' }
            two-first: { paths: /two, limit: 9, window: 1h }
            two-second: { paths: /two, limit: 9, window: 1h, charge-if: "#{#response.getHeader('X-Free') == null}" }
            two-third: { paths: /two, mode: shadow, limit: 9, window: 1h, charge-if: false }
            early: { paths: /early/**, phase: request, key: param:client, limit: 1, window: 1h,
                charge-if: '#response.status == 404' }
            broken: { paths: /broken, limit: 1, window: 1h, charge-if: "#response.getHeader('X-Missing').length() > 3" }
        """)
class ChargeIfTests extends WebTestSupport {

    /** The latch of slow handlers. */
    static final Semaphore GATE = new Semaphore(0);

    @Test
    void exactlyTheFailuresAreCharged() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(8);
        int failures = 0;
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 900; i++) {
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
        assertThat(failures).isEqualTo(300);
        assertThat(left("login", "many")).isEqualTo(10_000 - failures);
    }

    /** Each request follows as soon as the first byte of the previous response arrives. */
    @Test
    void sequentialRequestsAreNeverRejectedAfterRefunds() throws Exception {
        for (int i = 0; i < 100; i++) {
            try (Socket connection = open("/failed/found?client=sequential")) {
                assertThat(RawClient.statusOf(connection)).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sse-slow", "stream-slow"})
    void isSettledBeforeTheFirstByte(String path) throws Exception {
        try (Socket connection = open("/failed/" + path + "?client=" + path)) {
            InputStream in = connection.getInputStream();
            assertThat(in.read()).isEqualTo('H');
            assertThat(left("failed", path)).isEqualTo(1);
        } finally {
            GATE.release();
        }
    }

    @Test
    void onlyRulesWithChargeIfRefund() throws Exception {
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
        assertThat(output).containsOnlyOnce("the request stays charged").contains("limiter.rules.broken.charge-if");
    }

    @Test
    void permitsTakenOnArrivalAreRefunded() throws Exception {
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
        assertStatuses(List.of(200, 200), "/automatic?found=true");
        assertThat(get("/automatic?found=false").statusCode()).isEqualTo(404);
        assertThat(get("/automatic?found=true").statusCode()).isEqualTo(429);
    }

    private Socket open(String path) throws IOException {
        return new RawClient(port()).begin(path);
    }

    private long left(String rule, String client) {
        return remaining(rule, "param:client=" + client.length() + ":" + client);
    }

    @TestApplication
    @Import(WebStack.Slow.class)
    static class Endpoints {

        @GetMapping({"/broken", "/early/found", "/failed/found"})
        String plain() {
            return "served";
        }

        @GetMapping("/login")
        ResponseEntity<String> login(@RequestParam String password) {
            return "right".equals(password)
                    ? ResponseEntity.ok("welcome")
                    : ResponseEntity.status(401).body("wrong");
        }

        @GetMapping("/two")
        ResponseEntity<String> two(@RequestParam boolean free) {
            return free ? ResponseEntity.ok().header("X-Free", "yes").body("free") : ResponseEntity.ok("charged");
        }

        @GetMapping("/automatic")
        ResponseEntity<String> automatic(@RequestParam boolean found) {
            return found
                    ? ResponseEntity.ok("found")
                    : ResponseEntity.notFound().build();
        }
    }
}
