package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;

/** Annotated methods of a request, without any rule in the configuration: by how they went, or how the request did. */
class ChargeIfHandlerTests extends WebTestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"result", "response", "future", "future-response", "callable", "both", "service"})
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
    void aMethodThatIsCalledWhenTheAnswerIsUnderWayIsSettledAtTheEnd() throws Exception {
        assertThat(get("/late").statusCode()).isEqualTo(200);
        assertThat(get("/late").body()).isEqualTo("begun, called");
    }

    @Service
    static class Accounts {

        @RateLimiter(name = "service", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        public int check(int status) {
            return status;
        }

        @RateLimiter(name = "late", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        public String late() {
            return "called";
        }
    }

    @TestApplication
    @Import(Accounts.class)
    static class Endpoints {

        private final Accounts accounts;

        Endpoints(Accounts accounts) {
            this.accounts = accounts;
        }

        @RateLimiter(name = "result", limit = 1, window = "1h", chargeIf = "#result.statusCode.value() == 401")
        @GetMapping("/result")
        ResponseEntity<String> result(int status) {
            return answer(status);
        }

        @RateLimiter(name = "response", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        @GetMapping("/response")
        ResponseEntity<String> response(int status) {
            return answer(status);
        }

        @RateLimiter(name = "future", limit = 1, window = "1h", chargeIf = "#result.statusCode.value() == 401")
        @GetMapping("/future")
        CompletableFuture<ResponseEntity<String>> future(int status) {
            return CompletableFuture.supplyAsync(() -> answer(status));
        }

        @RateLimiter(name = "future-response", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        @GetMapping("/future-response")
        CompletableFuture<ResponseEntity<String>> futureResponse(int status) {
            return CompletableFuture.supplyAsync(() -> answer(status));
        }

        @RateLimiter(name = "callable", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        @GetMapping("/callable")
        Callable<ResponseEntity<String>> callable(int status) {
            return () -> answer(status);
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
