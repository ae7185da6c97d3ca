package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code charge-if: failed} counts every kind of failure. */
@Yml("""
        limiter.rules:
          login: { paths: /login, limit: 2, window: 1h, charge-if: Failed }
          early: { paths: /early, phase: request, limit: 2, window: 1h, charge-if: failed }
          lost: { paths: /lost, limit: 1, window: 1h, charge-if: failed }
        """)
class ChargeIfFailedTests extends WebTestSupport {

    private static final Semaphore ENTERED = new Semaphore(0);
    private static final Semaphore GATE = new Semaphore(0);

    @Autowired
    private Accounts accounts;

    @BeforeEach
    void forgetEarlierTests() {
        time.advance(Duration.ofDays(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login", "/early", "/annotated", "/later"})
    void successIsFree(String path) throws Exception {
        for (int status : List.of(200, 204, 302, 304, 200)) {
            assertThat(get(path + "?status=" + status).statusCode()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login", "/early", "/annotated", "/later"})
    void everythingElseCounts(String path) throws Exception {
        assertThat(get(path + "?status=401").statusCode()).isEqualTo(401);
        assertThat(get(path + "?status=500").statusCode()).isEqualTo(500);
        assertThat(get(path + "?status=200").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/login", "/early", "/annotated"})
    void failedResponsesOfGuessesAreCharged(String path) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            statuses.add(get(path + "?status=200", "Accept", "image/png").statusCode());
        }
        assertThat(statuses).startsWith(406, 406).endsWith(429, 429);
    }

    @Test
    void callHasFailedIfItThrew() {
        for (int i = 0; i < 5; i++) {
            assertThat(accounts.work("")).isEmpty();
        }
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> accounts.work(null)).isInstanceOf(NullPointerException.class);
        }
        assertThatThrownBy(() -> accounts.work("")).isInstanceOf(RateLimitExceededException.class);
    }

    /** Only the outcome of the call counts, whatever response the handler makes of it. */
    @Test
    void callWithinARequestIsSettledByItsOwnOutcome() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/calls?status=404").statusCode()).isEqualTo(404);
        }
    }

    /** By the outcome of the method, or of the request. */
    @ParameterizedTest
    @ValueSource(strings = {"result", "future-response", "both", "service"})
    void onlyFailuresAreCharged(String path) throws Exception {
        String url = "/" + path + "?status=";
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> served = get(url + 200);
            assertThat(served.statusCode()).isEqualTo(200);
            if (!path.equals("service")) {
                assertThat(field(served, "RateLimit")).isEqualTo("\"" + path + "\";r=1;t=3600");
            }
        }
        assertThat(get(url + 401).statusCode()).isEqualTo(401);
        assertThat(get(url + 200).statusCode()).isEqualTo(429);
    }

    @Test
    void methodCalledDuringTheResponseIsSettledAtTheEnd() throws Exception {
        assertThat(get("/late").statusCode()).isEqualTo(200);
        assertThat(get("/late").body()).isEqualTo("begun, called");
    }

    @Test
    void lostClientIsChargedByTheIntendedResponse() throws Exception {
        new RawClient(port()).begin("/lost").close();
        ENTERED.acquire();
        GATE.release();

        Conditions.await(() -> remaining("lost", "") == 0);
    }

    static class Accounts {

        @RateLimiter(name = "service", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        public int check(int status) {
            return status;
        }

        @RateLimiter(name = "late", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        public String late() {
            return "called";
        }

        @RateLimiter(limit = 2, window = "1h", chargeIf = "failed")
        public String work(String user) {
            return user.strip();
        }

        @RateLimiter(limit = 2, window = "1h", chargeIf = "failed")
        public int called() {
            return 1;
        }
    }

    @TestApplication
    @Import(Accounts.class)
    static class Endpoints {

        private final Accounts accounts;

        Endpoints(Accounts accounts) {
            this.accounts = accounts;
        }

        @GetMapping({"/login", "/early"})
        ResponseEntity<Object> login(@RequestParam int status) {
            return ResponseEntity.status(status).body(status == 200 ? List.of(1) : null);
        }

        @RateLimiter(limit = 2, window = "1h", chargeIf = "failed")
        @GetMapping("/annotated")
        ResponseEntity<Object> annotated(@RequestParam int status) {
            return ResponseEntity.status(status).body(status == 200 ? List.of(1) : null);
        }

        @RateLimiter(limit = 2, window = "1h", chargeIf = "failed")
        @GetMapping("/later")
        Callable<ResponseEntity<String>> asynchronous(@RequestParam int status) {
            return () -> ResponseEntity.status(status).build();
        }

        @GetMapping("/calls")
        ResponseEntity<String> calls(@RequestParam int status) {
            accounts.called();
            return ResponseEntity.status(status).build();
        }

        @RateLimiter(name = "result", limit = 1, window = "1h", chargeIf = "#result.statusCode.value() == 401")
        @GetMapping("/result")
        ResponseEntity<String> result(int status) {
            return answer(status);
        }

        @RateLimiter(name = "future-response", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        @GetMapping("/future-response")
        CompletableFuture<ResponseEntity<String>> futureResponse(int status) {
            return CompletableFuture.supplyAsync(() -> answer(status));
        }

        @RateLimiter(
                name = "both",
                limit = 1,
                window = "1h",
                chargeIf = "#response.status == 401 && #result.body == 'answer' && #status == 401")
        @GetMapping("/both")
        ResponseEntity<String> both(int status) {
            return answer(status);
        }

        @GetMapping("/service")
        ResponseEntity<String> service(int status) {
            return answer(accounts.check(status));
        }

        @GetMapping("/lost")
        ResponseEntity<String> lost() {
            ENTERED.release();
            GATE.acquireUninterruptibly();
            return ResponseEntity.status(401).body("x".repeat(100_000));
        }

        @GetMapping("/late")
        void late(HttpServletResponse response) throws Exception {
            response.getWriter().print("begun, ");
            response.flushBuffer();
            response.getWriter().print(accounts.late());
        }

        private static ResponseEntity<String> answer(int status) {
            return ResponseEntity.status(status).body("answer");
        }
    }
}
