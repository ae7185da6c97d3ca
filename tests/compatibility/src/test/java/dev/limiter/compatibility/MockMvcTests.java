package dev.limiter.compatibility;

import static dev.limiter.test.LimiterMockMvc.applicationFilters;
import static dev.limiter.test.SpringLimiterAssertions.assertThatAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.WithVirtualTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Tests of an application without a server. */
@SpringBootTest(
        properties = {
            "spring.config.name=none",
            "limiter.rules.failed.paths=/hello",
            "limiter.rules.failed.limit=2",
            "limiter.rules.failed.window=1h",
            "limiter.rules.failed.charge-if=#{#response.status >= 400}",
            "limiter.rules.early.paths=/early",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.limit=1",
            "limiter.rules.early.window=1h",
        })
@Tag("each-line")
@WithVirtualTime
@ExtendWith(OutputCaptureExtension.class)
class MockMvcTests {

    @Autowired
    private WebApplicationContext application;

    @Test
    void filtersOfTheApplicationSettleAndDecide(CapturedOutput output) {
        MockMvcTester mvc = MockMvcTester.from(
                application, builder -> builder.apply(applicationFilters()).build());
        for (int i = 0; i < 4; i++) {
            assertThatAnswer(mvc.get().uri("/hello").exchange()).isPermitted().hasRemaining("failed", 2);
        }
        assertThatAnswer(mvc.get().uri("/early").exchange()).isPermitted();
        assertThatAnswer(mvc.get().uri("/early").exchange()).isRejected();
        assertThat(output).doesNotContain("does not run the filters");
    }

    /** Without filters, early rules apply at the endpoint, and nothing is refunded. */
    @Test
    void missingFiltersAreReportedOnce(CapturedOutput output) {
        MockMvcTester mvc = MockMvcTester.from(application);

        assertThatAnswer(mvc.get().uri("/early").exchange()).isPermitted();
        assertThatAnswer(mvc.get().uri("/early").exchange()).isRejected();
        assertThatAnswer(mvc.get().uri("/hello").exchange()).hasRemaining("failed", 1);
        assertThatAnswer(mvc.get().uri("/hello").exchange()).hasRemaining("failed", 0);

        assertThat(output.toString().split("does not run the filters", -1)).hasSize(2);
        assertThat(output).contains("phase: request apply only to requests that reach an endpoint");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/hello", "/early"})
        String hello() {
            return "hello";
        }
    }
}
