package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.testkit.Clients;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The buffer of Jetty is larger than that of Tomcat. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "limiter.rules.guesses.paths=/large",
            "limiter.rules.guesses.limit=1",
            "limiter.rules.guesses.window=1h",
            "limiter.rules.guesses.charge-if=failed"
        })
class JettyTests {

    @LocalServerPort
    private int port;

    @Autowired
    private Application.Large handler;

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @Test
    void whatIsGivenBackIsBackBeforeTheFirstByte() throws IOException {
        try (InputStream body = new Clients(port).stream("GET", "/large").body()) {
            assertThat(body.read()).isEqualTo('x');

            Rule guesses = rules.current().find("guesses").orElseThrow().rule();
            assertThat(limiters.peek(guesses, "").remaining()).isEqualTo(1);
        } finally {
            handler.read.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application extends WebTestSupport.Base {

        @Bean
        JettyServletWebServerFactory jetty() {
            return new JettyServletWebServerFactory(0);
        }

        @RestController
        static class Large {

            private final CountDownLatch read = new CountDownLatch(1);

            /** More than fits into the buffer. Goes on until its first byte was read. */
            @GetMapping("/large")
            void large(HttpServletResponse response) throws IOException, InterruptedException {
                response.getOutputStream().write("x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII));
                assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }
}
