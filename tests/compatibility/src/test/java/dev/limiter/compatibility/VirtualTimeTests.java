package dev.limiter.compatibility;

import static dev.limiter.test.SpringLimiterAssertions.assertThat;
import static dev.limiter.test.SpringLimiterAssertions.assertThatAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import dev.limiter.testkit.Clients;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** {@code limiter-test} in an application with its own clock. */
@SpringBootTest(
        classes = VirtualTimeTests.Limited.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.name=none",
            "limiter.rules.named.limit=2",
            "limiter.rules.named.window=1h",
            "limiter.rules.resolved.paths=/annotated/token-bucket",
            "limiter.rules.resolved.limit=2",
            "limiter.rules.resolved.window=1h",
            "limiter.rules.resolved.limit-resolver=contracts"
        })
@WithVirtualTime
class VirtualTimeTests {

    private static final Rule EXPORTS = Rule.of("exports", Limit.concurrency(1));

    @Autowired
    private VirtualTimeSource time;

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Contracts contracts;

    @LocalServerPort
    private int port;

    @RepeatedTest(2)
    void everyTestStartsAtTheSameTime(@Autowired VirtualTimeSource parameter) {
        assertThat(time.now()).isEqualTo(VirtualTimeSource.START);
        assertThat(parameter).isSameAs(time);
        time.advance(Duration.ofDays(4000));
    }

    @RepeatedTest(2)
    void everyTestStartsWithFullBuckets() {
        Clients clients = new Clients(port);

        assertThatAnswer(clients.get("/annotated/named")).isPermitted().hasRemaining("named", 1);
        assertThatAnswer(clients.get("/annotated/named")).isPermitted().hasRemaining("named", 0);
        assertThatAnswer(clients.get("/annotated/named"))
                .isRejected()
                .hasProblemType("quota-exceeded")
                .hasRetryAfter(Duration.ofMinutes(30));
    }

    @RepeatedTest(2)
    void everyTestStartsWithoutResolvedLimits(RepetitionInfo repetition) {
        contracts.limit = 10L + repetition.getCurrentRepetition();
        assertThatAnswer(new Clients(port).get("/annotated/token-bucket")).hasLimit("resolved", contracts.limit);
    }

    @Test
    void permitsOfEarlierTestsAreFree() {
        Decision held = limiters.tryAcquire(EXPORTS, "alice");
        assertThat(held).isPermitted();
        held.close();
        held.close();

        assertThat(limiters.tryAcquire(EXPORTS, "alice")).isPermitted();
    }

    @RepeatedTest(2)
    void waitingCallIsServedWhenTimeAdvances() {
        Rule rule = Rule.of("imports", Limit.tokenBucket(1, Duration.ofSeconds(30)));
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.tryAcquire(rule, "alice")).isPermitted();

        CompletableFuture<Decision> first = limiters.acquireAsync(rule, "alice", Duration.ofHours(1));
        CompletableFuture<Decision> second = limiters.acquireAsync(rule, "alice", Duration.ofHours(1));
        time.advance(Duration.ofSeconds(30));

        assertThat(first.join()).isPermitted();
        assertThat(second).isNotDone();
    }

    @Nested
    class InANestedClass {

        @RepeatedTest(2)
        void everyTestStartsWithFullBuckets(VirtualTimeSource parameter) {
            assertThat(parameter).isSameAs(time);
            assertThatAnswer(new Clients(port).get("/annotated/named"))
                    .isPermitted()
                    .hasRemaining("named", 1);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, LimitedEndpoints.class})
    static class Limited {

        @Bean
        Contracts contracts() {
            return new Contracts();
        }
    }

    static final class Contracts implements LimitResolver {

        private volatile long limit = 1;

        @Override
        public @Nullable Limit resolve(RateLimitContext context) {
            // the request is complete when a result is refreshed
            boolean read = context.request() != null && context.request().getHeader("Host") != null;
            return !read ? null : Limit.tokenBucket(limit, Duration.ofHours(1));
        }
    }
}
