package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Rules whose paths no endpoint of a WebFlux application has. */
@ExtendWith(OutputCaptureExtension.class)
class UnmatchedPathsTests {

    @Test
    void startupReportsRulesWithoutEndpoint(CapturedOutput output) {
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
