package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Calls that stay charged, by their outcome. {@code CallCompletionTests} cover all ways in which a call ends. */
class ChargeIfCallTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(VirtualTimeSource.class)
            .withBean(Accounts.class);

    @Test
    void aResultMayBeFree() {
        with(accounts -> {
            for (int i = 0; i < 5; i++) {
                assertThat(accounts.login("ann", "right")).isTrue();
            }
            assertThat(accounts.login("ann", "wrong")).isFalse();
            rejected(() -> accounts.login("ann", "right"));
            assertThat(accounts.login("bob", "wrong")).isFalse();
        });
    }

    @Test
    void anExceptionMayBeChargedAndACallIsChargedWhileItRuns() {
        with(accounts -> {
            accounts.check(() -> rejected(() -> accounts.check(() -> "inner")));
            accounts.check(() -> "fine");
            assertThat(catchThrowable(() -> accounts.check(() -> {
                        throw new IllegalArgumentException("on purpose");
                    })))
                    .isInstanceOf(IllegalArgumentException.class);
            accounts.check(() -> "fine");
            assertThat(catchThrowable(() -> accounts.check(() -> {
                        throw new IllegalStateException("on purpose");
                    })))
                    .isInstanceOf(IllegalStateException.class);
            rejected(() -> accounts.check(() -> "fine"));
        });
    }

    @Test
    void configurationMaySetTheExpression() {
        application
                .withPropertyValues("limiter.rules.accounts.charge-if=#exception != null && #p0 != null")
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    assertThat(accounts.login("ann", "wrong")).isFalse();
                    assertThat(accounts.login("ann", "wrong")).isFalse();
                });
        application
                .withPropertyValues("limiter.rules.accounts.charge-if=#reslt")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll(
                                "limiter.rules.accounts.charge-if", "#reslt is unknown", "#result, #exception"));
    }

    private void with(Consumer<Accounts> test) {
        application.run(context -> test.accept(context.getBean(Accounts.class)));
    }

    private static String rejected(Supplier<?> call) {
        assertThatThrownBy(call::get).isInstanceOf(RateLimitExceededException.class);
        return "rejected";
    }

    static class Accounts {

        @RateLimiter(name = "accounts", limit = 1, window = "1h", key = "#user", chargeIf = "!#result")
        public boolean login(String user, String password) {
            return password.equals("right");
        }

        @RateLimiter(
                limit = 1,
                window = "1h",
                chargeIf = "#exception instanceof T(java.lang.IllegalStateException) || #result == 'bad'")
        public String check(Supplier<String> body) {
            return body.get();
        }
    }
}
