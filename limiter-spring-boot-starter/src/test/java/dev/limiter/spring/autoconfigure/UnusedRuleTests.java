package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.Limiter;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class UnusedRuleTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(Exports.class)
            .withPropertyValues("limiter.rules.my-exports.limit=5", "limiter.rules.my-exports.window=1s");

    @Test
    void ruleThatNothingRefersToIsAWarning(CapturedOutput output) {
        application
                .withPropertyValues("limiter.rules.exprots.limit=5")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("WARN", "Nothing uses the rule limiter.rules.exprots", "@RateLimiter(\"exprots\")");
    }

    @Test
    void ruleThatAnAnnotationOrAPathRefersToIsNone(CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.rules.orders.paths=/orders",
                        "limiter.rules.orders.limit=5",
                        "limiter.rules.orders.window=1s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("Nothing uses");
    }

    @Test
    void completeRuleWithoutPathsMayBeForCode(CapturedOutput output) {
        ApplicationContextRunner forCode =
                application.withPropertyValues("limiter.rules.checkout.limit=5", "limiter.rules.checkout.window=1s");

        forCode.withBean(Checkout.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("limiter.rules.checkout");

        forCode.run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("INFO", "limit nothing until code names them in a RateLimitTemplate: limiter.rules.checkout")
                .doesNotContain("Nothing uses");
    }

    record Checkout(RateLimitTemplate limits) {}

    static class Exports {

        @RateLimiter("my_Exports")
        public void export() {}
    }
}
