package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A request that makes an expression fail is neither free nor able to fill or forge the log. */
@ExtendWith(OutputCaptureExtension.class)
@TestPropertySource(
        properties = {
            "limiter.rules.key.paths=/key",
            "limiter.rules.key.key=#{T(Integer).parseInt(#request.getParameter('n'))}",
            "limiter.rules.key.limit=3",
            "limiter.rules.key.window=1h",
            "limiter.rules.cost.paths=/cost",
            "limiter.rules.cost.cost=#{T(Integer).parseInt(#request.getParameter('n'))}",
            "limiter.rules.cost.limit=3",
            "limiter.rules.cost.window=1h",
            "limiter.rules.skip.paths=/skip",
            "limiter.rules.skip.condition=#{!(T(Integer).parseInt(#request.getParameter('n')) > 1)}",
            "limiter.rules.skip.limit=3",
            "limiter.rules.skip.window=1h",
            "limiter.rules.early.paths=/early",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.key=#{T(Integer).parseInt(#request.getParameter('n'))}",
            "limiter.rules.early.limit=3",
            "limiter.rules.early.window=1h",
            "limiter.rules.held.paths=/held",
            "limiter.rules.held.key=#{T(Integer).parseInt(#request.getParameter('n'))}",
            "limiter.rules.held.algorithm=concurrency",
            "limiter.rules.held.limit=1",
            "limiter.rules.waits.paths=/waits",
            "limiter.rules.waits.key=#{T(Integer).parseInt(#request.getParameter('n'))}",
            "limiter.rules.waits.limit=3",
            "limiter.rules.waits.window=1h",
            "limiter.rules.waits.max-wait=10ms",
        })
class FailingExpressionTests extends WebTestSupport {

    private static final String BAD = "?n=1%0d%0aFORGED%20line";

    @ParameterizedTest
    @ValueSource(strings = {"/key", "/cost", "/skip", "/early", "/waits"})
    void failuresAreChargedAndLoggedOnce(String path, CapturedOutput output) throws Exception {
        assertThat(statuses(path, 5)).containsExactly(500, 500, 500, 429, 429);

        assertThat(output.getAll().split("cannot be decided for", -1)).hasSize(2);
        assertThat(output.getAll()).doesNotContainPattern("(?m)^FORGED").contains("1\\u000d\\u000aFORGED line");
        assertThat(output.getAll().lines().filter(line -> line.contains("NumberFormatException.forInputString")))
                .hasSize(1);
    }

    @Test
    void permitOfAConcurrencyLimitIsReturned() throws Exception {
        assertThat(statuses("/held", 3)).containsExactly(500, 500, 500);
    }

    private List<Integer> statuses(String path, int requests) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            statuses.add(get(path + BAD).statusCode());
        }
        return statuses;
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/key", "/cost", "/skip", "/early", "/held", "/waits"})
        String any() {
            return "served";
        }
    }
}
