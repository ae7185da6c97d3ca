package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

/** Handlers can read which rules in shadow mode would have rejected. The clock stands still, so no permits refill. */
@TestPropertySource(
        properties = {
            "limiter.rules.watched.paths=/watched,/all",
            "limiter.rules.watched.limit=1",
            "limiter.rules.watched.window=1h",
            "limiter.rules.watched.scope=endpoint",
            "limiter.rules.watched.mode=shadow",
            "limiter.rules.early.paths=/early,/all",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.limit=1",
            "limiter.rules.early.window=1h",
            "limiter.rules.early.scope=endpoint",
            "limiter.rules.early.mode=shadow",
            "limiter.rules.denied.paths=/denied",
            "limiter.rules.denied.limit=100",
            "limiter.rules.denied.window=1h",
            "limiter.rules.denied.deny=127.0.0.1,::1",
            "limiter.rules.denied.mode=shadow",
            "limiter.rules.some.paths=/some",
            "limiter.rules.some.key=header:X-Customer",
            "limiter.rules.some.limit=1",
            "limiter.rules.some.window=1h",
            "limiter.rules.some.rollout=0.01%",
            "limiter.rules.candidates.paths=/candidate",
            "limiter.rules.candidates.limit=3",
            "limiter.rules.candidates.window=1h",
            "limiter.rules.candidates.candidate.limit=1"
        })
class ExceededTests extends WebTestSupport {

    @ParameterizedTest
    @CsvSource({
        "/watched, '', [watched]",
        "/early, '', [early]",
        "/all, '', '[early, watched]'",
        "/denied, [denied], [denied]",
        "/some, '', [some]",
        "/candidate, '', ''",
        "/free, '', ''"
    })
    void attributeNamesTheRulesThatWouldHaveRejected(String path, String first, String second) {
        assertThat(get(path).body()).isEqualTo(first);
        assertThat(get(path).body()).isEqualTo(second);
        assertThat(get(path).statusCode()).isEqualTo(200);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        private static final String EXCEEDED = "dev.limiter.exceeded";

        @GetMapping({"/watched", "/early", "/all", "/denied", "/some", "/candidate", "/free"})
        String plain(@RequestAttribute(name = EXCEEDED, required = false) List<String> exceeded) {
            if (exceeded == null) {
                return "";
            }
            assertThat(exceeded).isUnmodifiable();
            return exceeded.toString();
        }
    }
}
