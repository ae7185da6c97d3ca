package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimitExceededException;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.test.context.TestPropertySource;
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
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.view.InternalResourceView;

/** Each sort of request counts once, or not at all. The rule "all" covers everything and has a key for each test. */
@TestPropertySource(
        properties = {
            "limiter.rules.all.paths=/**",
            "limiter.rules.all.limit=100",
            "limiter.rules.all.window=1h",
            "limiter.rules.all.key=header:X-Test",
            "limiter.rules.literal.paths=/literal/special",
            "limiter.rules.literal.limit=1",
            "limiter.rules.literal.window=1h",
            "limiter.rules.twice.paths=/twice",
            "limiter.rules.twice.limit=2",
            "limiter.rules.twice.window=1h",
            "limiter.rules.twice.scope=rule",
            "limiter.rules.gets.paths=/gets",
            "limiter.rules.gets.methods=get",
            "limiter.rules.gets.limit=2",
            "limiter.rules.gets.window=1h",
            "limiter.rules.broken.paths=/broken",
            "limiter.rules.broken.limit=1",
            "limiter.rules.broken.window=1h",
            "limiter.rules.broken.key=#request.getHeader('X-Nonsense').length()",
            "limiter.rules.watching.paths=/shadow",
            "limiter.rules.watching.limit=1",
            "limiter.rules.watching.window=1h",
            "limiter.rules.watching.mode=shadow",
            "limiter.rules.watching-broken.paths=/shadow",
            "limiter.rules.watching-broken.limit=1",
            "limiter.rules.watching-broken.window=1h",
            "limiter.rules.watching-broken.mode=shadow",
            "limiter.rules.watching-broken.key=#request.getHeader('X-Nonsense').length()",
            "limiter.rules.off.paths=/shadow",
            "limiter.rules.off.limit=1",
            "limiter.rules.off.window=1h",
            "limiter.rules.off.mode=off",
            "limiter.web.exclude=/excluded/**",
        })
class RequestTests extends WebTestSupport {

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @ParameterizedTest
    @CsvSource({
        "GET,     /sync,             200, 1",
        "HEAD,    /sync,             200, 1",
        "GET,     /deferred,         200, 1",
        "GET,     /callable,         200, 1",
        "GET,     /future,           200, 1",
        "GET,     /sse,              200, 1",
        "GET,     /forward,          200, 1",
        "GET,     /failing,          500, 1",
        "GET,     /send-error,       418, 1",
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
        assertThat(get(path, "X-Test", "cors" + path, "Origin", "http://a").statusCode())
                .isEqualTo(200);
        assertThat(used("cors" + path)).isEqualTo(1);
    }

    @Test
    void aLiteralUnderAVariableIsLimitedOnlyThere() throws Exception {
        assertThat(get("/literal/special").statusCode()).isEqualTo(200);
        assertThat(get("/literal/special").statusCode()).isEqualTo(429);
        assertThat(get("/literal/%73pecial").statusCode()).isEqualTo(429);
        assertThat(get("/literal/special;x=1").statusCode()).isEqualTo(429);
        assertThat(get("/literal/other").statusCode()).isEqualTo(200);
        assertThat(get("/literal/other").statusCode()).isEqualTo(200);
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
        assertThat(limiters.peek(rules.current().find("watching").orElseThrow().rule(), "")
                        .permitted())
                .isFalse();
    }

    @Test
    void theAnnotationOfTheHandlerAddsItsPolicy() throws Exception {
        HttpResponse<String> response = get("/annotated", "X-Test", "annotated");
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"all\";q=100;w=3600, \"annotated\";q=1;w=3600");
        assertThat(field(response, "RateLimit")).isEqualTo("\"all\";r=99;t=3564, \"annotated\";r=0;t=3600");
    }

    @Test
    void whatAMethodRejectsTheRulesOfTheRequestDoNotCount() throws Exception {
        assertThat(get("/service", "X-Test", "service").statusCode()).isEqualTo(200);
        assertThat(used("service")).isEqualTo(1);

        HttpResponse<String> rejected = get("/service", "X-Test", "service");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(used("service")).isEqualTo(1);
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"all\";r=99;t=3564, \"call\";r=0;t=3600");
        assertThat(rejected.body()).contains("\"violated-policies\":[\"call\"]");
    }

    @Test
    void aRuleThatAppliesByPathAndByNameCountsOnce() throws Exception {
        HttpResponse<String> response = get("/twice", "X-Test", "twice");
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"all\";q=100;w=3600, \"twice\";q=2;w=3600");
        assertThat(get("/twice").statusCode()).isEqualTo(200);
        assertThat(get("/twice").statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service-deferred", "/service-callable", "/service-future"})
    void rejectionOfAnAsynchronousCallIsAnsweredAsAProblem(String path) throws Exception {
        HttpResponse<String> rejected = get(path, "X-Test", path);
        for (int i = 0; i < 2 && rejected.statusCode() == 200; i++) {
            rejected = get(path, "X-Test", path);
        }
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(used(path)).isLessThanOrEqualTo(1);
    }

    @Test
    void aHandlerOfExactlyThisExceptionComesFirst() throws Exception {
        assertThat(get("/exact", "X-Test", "exact").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = get("/exact", "X-Test", "exact");
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.body()).isEqualTo("mine");
        assertThat(used("exact")).isEqualTo(1);
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
        return rules.current().find("all").orElseThrow().rule();
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
    @Import({Base.class, Controller.class, Exact.class, Limited.class, CatchAll.class})
    static class Application {

        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route()
                    .GET("/function/{id}", request -> ServerResponse.ok().body("function"))
                    .path(
                            "/nested",
                            nested -> nested.GET(
                                    "/function", request -> ServerResponse.ok().body("nested")))
                    .build();
        }
    }

    @Service
    static class Limited {

        @RateLimiter(limit = 1, window = "1h", key = "#key")
        public String call(String key) {
            return key;
        }
    }

    @RestController
    static class Controller {

        @Autowired
        private Limited limited;

        @CrossOrigin("http://a")
        @GetMapping("/cors")
        String cors() {
            return "cors";
        }

        @GetMapping({"/sync", "/gets", "/excluded/{name}", "/broken", "/shadow"})
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

        @GetMapping("/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            new Thread(() -> result.setResult("deferred")).start();
            return result;
        }

        @GetMapping("/callable")
        Callable<String> callable() {
            return () -> "callable";
        }

        @GetMapping("/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(() -> "future");
        }

        @GetMapping("/sse")
        SseEmitter sse() throws Exception {
            SseEmitter emitter = new SseEmitter();
            emitter.send("one");
            new Thread(emitter::complete).start();
            return emitter;
        }

        @GetMapping("/forward")
        View forward() {
            return new InternalResourceView("/sync");
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

        @GetMapping("/send-error")
        void sendError(HttpServletResponse response) throws Exception {
            response.sendError(418);
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

        @GetMapping("/service")
        String service() {
            return limited.call("sync");
        }

        @GetMapping("/service-callable")
        Callable<String> serviceCallable() {
            return () -> limited.call("callable");
        }

        @GetMapping("/service-future")
        CompletableFuture<String> serviceFuture() {
            return CompletableFuture.supplyAsync(() -> limited.call("future"));
        }

        @GetMapping("/service-deferred")
        DeferredResult<String> serviceDeferred() {
            DeferredResult<String> result = new DeferredResult<>();
            new Thread(() -> {
                        try {
                            result.setResult(limited.call("deferred"));
                        } catch (RuntimeException failure) {
                            result.setErrorResult(failure);
                        }
                    })
                    .start();
            return result;
        }
    }

    @RestController
    static class Exact {

        @GetMapping("/exact")
        @RateLimiter(limit = 1, window = "1h")
        String exact() {
            return "exact";
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
        String all(Exception failure, HttpServletRequest request) throws Exception {
            if (failure instanceof ErrorResponse) {
                throw failure;
            }
            return "caught all";
        }
    }
}
