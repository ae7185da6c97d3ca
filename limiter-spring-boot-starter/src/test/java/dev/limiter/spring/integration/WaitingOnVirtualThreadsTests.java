package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.web.bind.annotation.GetMapping;

/** On virtual threads, requests wait in their own thread. */
@EnabledForJreRange(min = JRE.JAVA_21)
@Yml("""
        spring.threads.virtual.enabled: true
        limiter.rules:
          pace: { paths: /paced, algorithm: leaky-bucket, limit: 10, window: 1s, max-wait: 500ms }
        """)
class WaitingOnVirtualThreadsTests extends WebTestSupport {

    @Test
    void aRequestWaitsInItsThread() throws Exception {
        assertThat(get("/paced").body()).startsWith("REQUEST on VirtualThread");
        FutureTask<HttpResponse<String>> waiting = new FutureTask<>(() -> get("/paced"));
        new Thread(waiting).start();
        await(() -> limiters.waiting() == 1);

        time.advance(Duration.ofMillis(100));

        // no asynchronous dispatch
        assertThat(waiting.get(60, TimeUnit.SECONDS).body()).startsWith("REQUEST on VirtualThread");
        assertThat(limiters.waiting()).isZero();
    }

    @TestApplication
    static class Endpoints {

        @GetMapping("/paced")
        String paced(HttpServletRequest request) {
            return request.getDispatcherType() + " on " + Thread.currentThread();
        }
    }
}
