package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Requests with the same key that share a limit of one permit. */
@Yml("""
        limiter.rules:
          shared: { paths: /shared/**, limit: 1, window: 1h, key: header:X-Test }
          each: { paths: /each/**, scope: endpoint, limit: 1, window: 1h, key: header:X-Test }
          early-shared: { paths: /early-shared/**, phase: request, limit: 1, window: 1h, key: header:X-Test }
          early: { paths: [/early/renamed-one, /early/renamed-two], phase: request,
              scope: endpoint, limit: 1, window: 1h, key: header:X-Test }
          failing: { paths: [/failing, /early-failing], limit: 100, window: 1h }
          nameless: { paths: /nameless, algorithm: concurrency, limit: 1 }
          heads: { paths: /heads, methods: HEAD, limit: 1, window: 1h }
        """)
@ExtendWith(OutputCaptureExtension.class)
class ScopeTests extends WebTestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"/shared/", "/early-shared/"})
    void scopeRuleIsOneBudgetForAll(String base) throws Exception {
        assertFirst("GET", base + "a", "rule");
        assertShared("GET", base + "a", "rule");
        assertShared("GET", base + "b", "rule");
        assertShared("POST", base + "a", "rule");
        assertShared("GET", base + "unknown", "rule");
        assertFirst("GET", base + "a", "another key");
    }

    @Test
    void scopeEndpointIsABudgetForEach() throws Exception {
        assertFirst("GET", "/each/a", "each");
        assertFirst("GET", "/each/b", "each");
        assertFirst("POST", "/each/a", "each");
        assertFirst("GET", "/each/id/1", "each");
        for (String path : new String[] {"/each/a", "/each/b", "/each/a;x=1", "/each/id/2", "/each/%69d/3"}) {
            assertShared("GET", path, "each");
        }
        assertShared("HEAD", "/each/a", "each");
        assertShared("POST", "/each/a", "each");
        assertFirst("GET", "/each/a", "another key");
    }

    @Test
    void noMethodThatIsMadeUpHasABudget() throws Exception {
        assertFirst("BREW", "/each/any", "methods");
        for (String method : new String[] {"BREW", "XYZZY", "GET", "HEAD", "POST", "DELETE"}) {
            assertShared(method, "/each/any", "methods");
        }
    }

    @Test
    void pathsThatNoEndpointServesShareABudget() throws Exception {
        assertThat(send("GET", "/each/unknown", "X-Test", "unserved").statusCode())
                .isEqualTo(404);
        for (String path : new String[] {"/each/unknown", "/each/invented", "/each/a/", "/each"}) {
            assertShared("GET", path, "unserved");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/each/", "/early/"})
    void resourcesOfOneNameShareABudget(String base) throws Exception {
        assertFirst("GET", base + "renamed-one", "renamed");
        assertShared("GET", base + "renamed-two", "renamed");
    }

    @Test
    void failingResolverIsAnErrorAndLogged(CapturedOutput output) throws Exception {
        assertThat(get("/failing").statusCode()).isEqualTo(500);
        assertThat(output).contains("ResourceResolver bean failed for GET /failing", "on purpose");
    }

    @Test
    void resolverThatReturnsNullIsAnErrorAndHoldsNothing(CapturedOutput output) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/nameless").statusCode()).isEqualTo(500);
        }
        assertThat(output).contains("ResourceResolver bean returned null for GET /nameless");
        assertThat(remaining("nameless", "")).isEqualTo(1);
    }

    @Test
    void ruleForHeadIsForHeadOnly() throws Exception {
        assertThat(send("HEAD", "/heads").statusCode()).isEqualTo(200);
        assertThat(send("HEAD", "/heads").statusCode()).isEqualTo(429);
        assertThat(get("/heads").statusCode()).isEqualTo(200);
    }

    private void assertFirst(String method, String path, String key) throws IOException, InterruptedException {
        assertThat(send(method, path, "X-Test", key).statusCode())
                .as(method + " " + path)
                .isEqualTo(200);
    }

    private void assertShared(String method, String path, String key) throws IOException, InterruptedException {
        assertThat(send(method, path, "X-Test", key).statusCode())
                .as(method + " " + path)
                .isEqualTo(429);
    }

    @TestApplication
    static class Controller {

        @Bean
        static WebStack.Resources resources() {
            return (request, resource) -> {
                if (resource.contains("/failing")) {
                    throw new IllegalStateException("on purpose");
                }
                if (resource.contains("/nameless")) {
                    return null;
                }
                return resource.contains("renamed") ? "renamed" : resource;
            };
        }

        @GetMapping({
            "/shared/a",
            "/shared/b",
            "/early-shared/a",
            "/early-shared/b",
            "/each/a",
            "/each/b",
            "/each/id/{id}",
            "/early/{id}",
            "/failing",
            "/nameless",
            "/heads",
            "/each/renamed-one",
            "/each/renamed-two",
        })
        String get() {
            return "ok";
        }

        @PostMapping({"/shared/a", "/early-shared/a", "/each/a"})
        String post() {
            return "ok";
        }

        @RequestMapping("/each/any")
        String any() {
            return "ok";
        }
    }
}
