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
import org.springframework.web.bind.annotation.GetMapping;

/** A request with a failing expression is still charged, and can neither flood nor forge the log. */
@ExtendWith(OutputCaptureExtension.class)
@Yml("""
        limiter.rules:
          key: { paths: /key, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h }
          cost: { paths: /cost, cost: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h }
          skip: { paths: /skip, condition: "#{!(T(Integer).parseInt(#request.getParameter('n')) > 1)}", limit: 3, window: 1h }
          early: { paths: /early, phase: request, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3,
              window: 1h }
          held: { paths: /held, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", algorithm: concurrency,
              limit: 1 }
          waits: { paths: /waits, key: "#{T(Integer).parseInt(#request.getParameter('n'))}", limit: 3, window: 1h,
              max-wait: 10ms }
        """)
class FailingExpressionTests extends WebTestSupport {

    private static final String BAD = "?n=1%0d%0aFORGED%20line";

    @ParameterizedTest
    @ValueSource(strings = {"/key", "/cost", "/skip", "/early", "/waits"})
    void failuresAreChargedAndLoggedOnce(String path, CapturedOutput output) throws Exception {
        assertThat(statuses(path, 5)).containsExactly(500, 500, 500, 429, 429);

        assertThat(output.getAll().split(" failed for ", -1)).hasSize(2);
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

    @TestApplication
    static class Endpoints {

        @GetMapping({"/key", "/cost", "/skip", "/early", "/held", "/waits"})
        String any() {
            return "served";
        }
    }
}
