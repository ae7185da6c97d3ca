package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Findings about the rules of a WebFlux application. */
@ExtendWith(OutputCaptureExtension.class)
class StartupFindingsTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Quoted {

        @RateLimiter(name = "quota", limit = 1, window = "1h", cost = "5")
        @GetMapping("/quoted")
        Mono<String> quoted() {
            return Mono.just("quoted");
        }
    }

    @Test
    void reportsAnnotationsWithoutEffect(CapturedOutput output) {
        try (Applications applications = new Applications()) {
            applications.start(Quoted.class, "limiter.rules.quota: {paths: [/quoted], key: ip, limit: 9, window: 1h}");
        }
        assertThat(output).contains("Quoted.quoted: cost = \"5\" has no effect", "LIM-909");
    }

    @Test
    void reportsRulesWithoutEndpoint(CapturedOutput output) {
        try (Applications applications = new Applications()) {
            applications.start(Shop.class, """
                    limiter:
                      rules:
                        annotated: {paths: ["/orders/*"], key: ip, limit: 3, window: 1h}
                        functional: {paths: ["/functional/7"], key: ip, limit: 3, window: 1h}
                        socket: {paths: ["/socket"], key: ip, limit: 3, window: 1h}
                        all: {paths: ["/**"], key: ip, limit: 3, window: 1h}
                        early: {paths: ["/nothing"], phase: request, key: ip, limit: 3, window: 1h}
                        misspelled: {paths: ["/ordres/**"], key: ip, limit: 3, window: 1h}
                        wrong-method: {paths: ["/plain"], methods: [PUT], key: ip, limit: 3, window: 1h}
                        short: {paths: ["/account"], key: ip, limit: 3, window: 1h}
                    """, "--management.endpoints.web.exposure.include=*");
        }
        assertThat(output)
                .contains(
                        "limiter.rules.misspelled.paths = /ordres/**: no endpoint or static file has such a path and method")
                .contains("limiter.rules.wrong-method.paths = /plain: no endpoint")
                .contains("Did you mean /account/**? It covers /account/{id}.");
        for (String matched : new String[] {"annotated", "functional", "socket", "all", "early"}) {
            assertThat(output).doesNotContain("limiter.rules." + matched + ".paths =");
        }
    }
}
