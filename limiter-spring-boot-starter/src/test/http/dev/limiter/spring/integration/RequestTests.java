package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimitExceededException;
import dev.limiter.Rule;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import reactor.core.publisher.Mono;

/**
 * Each kind of request counts once, or not at all. {@link ResponseKindTests} cover all kinds of responses. The rule
 * "all" applies everywhere, with a key for each test.
 */
@Yml("""
        limiter:
          web: { exclude: /excluded/** }
          rules:
            all: { paths: /**, limit: 100, window: 1h, key: header:X-Test }
            literal: { paths: /literal/special, limit: 1, window: 1h }
            twice: { paths: /twice, limit: 2, window: 1h, scope: rule }
            gets: { paths: /gets, methods: get, limit: 2, window: 1h }
            broken: { paths: /broken, limit: 1, window: 1h, key: "#request.getHeader('X-Nonsense').length()" }
            key: { paths: /key, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h }
            cost: { paths: /cost, cost: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h }
            skip: { paths: /skip, condition: "#{!(T(Integer).parseInt(#request.getParameter('n')) > 1)}", limit: 3, window: 1h }
            early: { paths: /early, phase: request, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3,
                window: 1h }
            held: { paths: /held, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", algorithm: concurrency,
                limit: 1 }
            waits: { paths: /waits, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h,
                max-wait: 10ms }
            watching: { paths: /shadow, limit: 1, window: 1h, mode: shadow }
            watching-broken: { paths: /shadow, limit: 1, window: 1h, mode: shadow,
                key: "#request.getHeader('X-Nonsense').length()" }
            'off': { paths: /shadow, limit: 1, window: 1h, mode: off }
        """)
@ExtendWith(OutputCaptureExtension.class)
class RequestTests extends WebTestSupport {

    private static final String BAD = "?n=1%0d%0aFORGED%20line";

    @ParameterizedTest
    @CsvSource({
        "GET,     /sync,             200, 1",
        "HEAD,    /sync,             200, 1",
        "GET,     /function/1,       200, 1",
        "GET,     /nested/function,  200, 1",
        "OPTIONS, /sync,             200, 1",
        "FOO,     /any,              200, 1",
        "GET,     /unknown,          404, 1",
        "GET,     /static.txt,       200, 1",
        "POST,    /sync,             405, 0",
        "GET,     /excluded/one,     200, 0",
    })
    void countsEachRequestOnce(String method, String path, int status, int count) throws Exception {
        String key = method + path;
        HttpResponse<String> response = send(method, path, "X-Test", key);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(used(key)).isEqualTo(count);
        assertThat(field(response, "RateLimit")).isEqualTo(count == 0 ? "" : "\"all\";r=99;t=3564");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/cors", "/sync"})
    void preflightIsFree(String path) throws Exception {
        send("OPTIONS", path, "X-Test", "cors" + path, "Origin", "http://a", "Access-Control-Request-Method", "GET");

        assertThat(used("cors" + path)).isZero();
        assertStatus(200, path, "X-Test", "cors" + path, "Origin", "http://a");
        assertThat(used("cors" + path)).isEqualTo(1);
    }

    @Test
    void aLiteralUnderAVariableIsLimitedOnlyThere() throws Exception {
        assertStatuses(List.of(200, 429), "/literal/special");
        assertThat(get("/literal/%73pecial").statusCode()).isEqualTo(429);
        assertThat(get("/literal/special;x=1").statusCode()).isEqualTo(429);
        assertStatuses(List.of(200, 200), "/literal/other");
    }

    @Test
    void headSharesTheBudgetOfGet() throws Exception {
        assertThat(get("/gets").statusCode()).isEqualTo(200);
        assertThat(send("POST", "/gets").statusCode()).isEqualTo(200);
        assertThat(send("HEAD", "/gets").statusCode()).isEqualTo(200);

        HttpResponse<String> rejected = send("HEAD", "/gets");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).isEmpty();
        assertThat(get("/gets").statusCode()).isEqualTo(429);
        assertThat(send("POST", "/gets").statusCode()).isEqualTo(200);
    }

    @Test
    void anExpressionThatThrowsIsAServerError() throws Exception {
        assertThat(get("/broken", "X-Test", "broken").statusCode()).isEqualTo(500);
        assertThat(used("broken")).isZero();
    }

    /** A request with a failing expression is still charged, and can neither flood nor forge the log. */
    @ParameterizedTest
    @ValueSource(strings = {"/key", "/cost", "/skip", "/early", "/waits"})
    void failuresAreChargedAndLoggedOnce(String path, CapturedOutput output) {
        assertStatuses(List.of(500, 500, 500, 429, 429), path + BAD);

        assertThat(output.getAll().split(" failed for ", -1)).hasSize(2);
        assertThat(output.getAll()).doesNotContainPattern("(?m)^FORGED").contains("1\\u000d\\u000aFORGED line");
        assertThat(output.getAll().lines().filter(line -> line.contains("NumberFormatException.forInputString")))
                .hasSize(1);
    }

    @Test
    void permitOfAFailureIsReturned() {
        assertStatuses(List.of(500, 500, 500), "/held" + BAD);
    }

    @Test
    void anExpressionOfAnAnnotationThatThrowsIsNotForACatchAll() throws Exception {
        HttpResponse<String> answer = get("/broken-annotation", "X-Test", "broken-annotation");

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).doesNotContain("caught all").doesNotContain("Nonsense");
    }

    @Test
    void shadowRulesChangeNothing() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = get("/shadow", "X-Test", "shadow");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"all\";q=100;w=3600");
        }
        assertThat(limiters.peek(rule("watching"), "").permitted()).isFalse();
    }

    @Test
    void theAnnotationOfTheHandlerAddsItsPolicy() throws Exception {
        HttpResponse<String> response = get("/annotated", "X-Test", "annotated");
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"all\";q=100;w=3600, \"annotated\";q=1;w=3600");
        assertThat(field(response, "RateLimit")).isEqualTo("\"all\";r=99;t=3564, \"annotated\";r=0;t=3600");
    }

    @Test
    void aRuleThatAppliesByPathAndByNameCountsOnce() throws Exception {
        HttpResponse<String> response = get("/twice", "X-Test", "twice");
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"all\";q=100;w=3600, \"twice\";q=2;w=3600");
        assertStatuses(List.of(200, 429), "/twice");
    }

    @Test
    void aHandlerOfExactlyThisExceptionComesFirst() throws Exception {
        assertThat(get("/exact", "X-Test", "exact").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = get("/exact", "X-Test", "exact");
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.body()).isEqualTo("mine");
        // WebFlux calls the application's handler before Limiter could refund the rules of the path
        assertThat(used("exact")).isEqualTo(WebStack.REACTIVE ? 2 : 1);
    }

    @Test
    void anInterceptedRejectionReachesNoHandlerAndNoErrorPage() throws Exception {
        for (int i = 0; i < 100; i++) {
            limiters.tryAcquire(all(), key("spent"));
        }
        HttpResponse<String> rejected = get("/failing", "X-Test", "spent");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"all\"]");
    }

    private long used(String test) {
        return 100 - limiters.peek(all(), key(test)).remaining();
    }

    private Rule all() {
        return rule("all");
    }

    private String key(String test) {
        RequestView request = Mockito.mock();
        Mockito.when(request.getHeader(ArgumentMatchers.anyString())).thenReturn(test);
        return rules.current()
                .find("all")
                .orElseThrow()
                .charge(RateLimitContext.of(request, ""))
                .key();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Controller.class, Exact.class, CatchAll.class})
    static class Application {}

    @RestController
    static class Controller {

        @CrossOrigin("http://a")
        @GetMapping("/cors")
        String cors() {
            return "cors";
        }

        @GetMapping({
            "/sync",
            "/gets",
            "/excluded/{name}",
            "/broken",
            "/shadow",
            "/key",
            "/cost",
            "/skip",
            "/early",
            "/held",
            "/waits"
        })
        String sync() {
            return "sync";
        }

        @PostMapping("/gets")
        String post() {
            return "post";
        }

        @RequestMapping("/any")
        String any() {
            return "any";
        }

        @GetMapping("/literal/{name}")
        String literal(@PathVariable String name) {
            return name;
        }

        @GetMapping("/broken-annotation")
        @RateLimiter(limit = 1, window = "1h", key = "#request.getHeader('X-Nonsense').length()")
        String brokenAnnotation() {
            return "broken";
        }

        @GetMapping("/failing")
        String failing() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 1, window = "1h")
        String annotated() {
            return "annotated";
        }

        @GetMapping("/twice")
        @RateLimiter("twice")
        String twice() {
            return "twice";
        }
    }

    @RestController
    static class Exact {

        @GetMapping("/exact")
        @RateLimiter(limit = 1, window = "1h")
        Mono<String> exact() {
            return Mono.just("exact");
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
        String mine(RateLimitExceededException rejection) {
            return "mine";
        }
    }

    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        @ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
        String all(Exception failure) throws Exception {
            if (failure instanceof ErrorResponse) {
                throw failure;
            }
            return "caught all";
        }
    }
}
