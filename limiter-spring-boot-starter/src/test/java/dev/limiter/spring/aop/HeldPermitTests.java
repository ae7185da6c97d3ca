package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Concurrency permits that a method holds outside of requests. {@code CallCompletionTests} cover all ways in which a
 * call ends.
 */
class HeldPermitTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(VirtualTimeSource.class)
            .withBean(Pool.class);

    @Test
    void theConfigurationMayMakeAConcurrencyLimitOfARate() {
        application
                .withPropertyValues("limiter.rules.rate.algorithm=concurrency", "limiter.rules.rate.limit=1")
                .run(context -> {
                    Pool pool = context.getBean(Pool.class);
                    for (int i = 0; i < 10; i++) {
                        pool.rate(() -> assertThatThrownBy(() -> pool.rate(() -> {}))
                                .isInstanceOf(RateLimitExceededException.class));
                    }
                });
    }

    @Test
    void isShownForAsLongAsItIsHeld() {
        application.run(context -> {
            Pool pool = context.getBean(Pool.class);
            PermitHolders holders = context.getBean(PermitHolders.class);
            VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
            Instant begun = Instant.ofEpochSecond(0, time.epochNanos());
            pool.nested(() -> {
                time.advance(Duration.ofSeconds(3));
                assertThat(holders.of("Pool.nested", null)).singleElement().satisfies(held -> {
                    assertThat(held.resource()).isEqualTo("Pool.nested");
                    assertThat(held.thread()).isEqualTo(Thread.currentThread().getName());
                    assertThat(held.permits()).isEqualTo(1);
                    assertThat(held.since()).isEqualTo(begun);
                    assertThat(holders.age(held)).isEqualTo(Duration.ofSeconds(3));
                });
                assertThatThrownBy(() -> pool.nested(() -> {})).isInstanceOf(RateLimitExceededException.class);
                assertThat(holders.permits("Pool.nested")).isEqualTo(1);
            });
            assertThat(holders.of("Pool.nested", null)).isEmpty();

            CompletableFuture<String> result = new CompletableFuture<>();
            pool.later(result);
            assertThat(holders.permits("Pool.later")).isEqualTo(1);
            result.complete("done");
            assertThat(holders.permits("Pool.later")).isZero();

            pool.rate(() -> assertThat(holders.of("rate", null)).isEmpty());
        });
    }

    static class Pool {

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public void nested(Runnable work) {
            work.run();
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
        public CompletionStage<String> later(CompletionStage<String> result) {
            return result;
        }

        @RateLimiter(name = "rate", limit = 100)
        public void rate(Runnable work) {
            work.run();
        }
    }
}
