package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.LiveRules;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;

/** Asynchronous requests are charged by the rules in force on arrival. */
@Yml("""
        limiter.rules:
          arriving: { paths: /slow, phase: request, limit: 10, window: 1h }
          early: { paths: /slow, phase: request, mode: off, limit: 10, window: 1h }
          late: { paths: /slow, mode: off, limit: 10, window: 1h }
          forwarded: { paths: /forwarded, limit: 1, window: 1h }
        """)
class ChangeDuringRequestTests extends WebTestSupport {

    @Autowired
    private Endpoints endpoints;

    @Autowired
    private LiveRules live;

    @Test
    void rulesAddedDuringARequestDoNotCharge() throws Exception {
        CompletableFuture<HttpResponse<String>> request = CompletableFuture.supplyAsync(() -> get("/slow"));
        DeferredResult<String> result = Objects.requireNonNull(endpoints.pending.poll(60, TimeUnit.SECONDS));
        enforce("early");
        enforce("late");
        result.setResult("done");

        HttpResponse<String> answer = request.get(60, TimeUnit.SECONDS);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(field(answer, "RateLimit-Policy")).isEqualTo("\"arriving\";q=10;w=3600");
        assertThat(remaining("arriving", "")).isEqualTo(9);
        assertThat(remaining("early", "")).isEqualTo(10);
        assertThat(remaining("late", "")).isEqualTo(10);
    }

    @Test
    void anotherEndpointThatTheResultLeadsToIsCharged() {
        assertThat(get("/leading").body()).isEqualTo("forwarded");
        assertThat(get("/leading").statusCode()).isEqualTo(429);
    }

    private void enforce(String rule) {
        live.change(rule, null, new Change(Map.of("mode", "enforce"), 0, live.now(), "ann", null, null), null);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}

    @Controller
    static class Endpoints {

        private final BlockingQueue<DeferredResult<String>> pending = new LinkedBlockingQueue<>();

        @GetMapping("/slow")
        @ResponseBody
        DeferredResult<String> slow() {
            DeferredResult<String> result = new DeferredResult<>();
            pending.add(result);
            return result;
        }

        @GetMapping("/leading")
        DeferredResult<String> leading() {
            DeferredResult<String> result = new DeferredResult<>();
            result.setResult("forward:/forwarded");
            return result;
        }

        @GetMapping("/forwarded")
        @ResponseBody
        String forwarded() {
            return "forwarded";
        }
    }
}
