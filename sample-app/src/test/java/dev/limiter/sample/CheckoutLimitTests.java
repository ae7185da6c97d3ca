package dev.limiter.sample;

import static dev.limiter.test.LimiterMockMvc.applicationFilters;
import static dev.limiter.test.SpringLimiterAssertions.assertThat;
import static dev.limiter.test.SpringLimiterAssertions.assertThatAnswer;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

// The manual shows this class; ReadmeTests compares the text.

@SpringBootTest
@WithVirtualTime // each test starts at the same time, with full buckets; time stands still until it is moved
class CheckoutLimitTests {

    @Autowired
    private WebApplicationContext application;

    @Test
    void permits100AnHour(VirtualTimeSource time) {
        MockMvcTester mvc = MockMvcTester.from(
                application, builder -> builder.apply(applicationFilters()).build());
        for (int i = 0; i < 100; i++) {
            assertThatAnswer(mvc.post().uri("/orders").exchange()).isPermitted();
        }
        assertThatAnswer(mvc.post().uri("/orders").exchange())
                .isRejected()
                .hasProblemType("quota-exceeded")
                .hasRemaining("checkout", 0)
                .hasRetryAfter(Duration.ofSeconds(36));

        time.advance(Duration.ofSeconds(36));
        assertThatAnswer(mvc.post().uri("/orders").exchange()).isPermitted();
    }
}

class PlainLimitTests {

    @Test
    void rejectsUntilTheBucketHasRefilled() {
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
        Rule logins = Rule.of("logins", Limit.tokenBucket(1, Duration.ofSeconds(2)));

        assertThat(limiters.tryAcquire(logins, "alice")).isPermitted().hasRemaining(0);
        assertThat(limiters.tryAcquire(logins, "alice")).isRejected().hasRetryAfter(Duration.ofSeconds(2));
    }
}
