package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.annotation.DirtiesContext;

/** {@code @Scheduled} methods run every millisecond, and are permitted once an hour. */
@SpringBootTest(
        classes = ScheduledMethodTests.Application.class,
        webEnvironment = WebEnvironment.NONE,
        properties = "spring.config.name=none")
@Tag("each-line")
@WithVirtualTime
@ExtendWith(OutputCaptureExtension.class)
@DirtiesContext // ends the runs
class ScheduledMethodTests {

    @Test
    void rejectedRunIsLeftOutAndLoggedAndTheNextOneComes(
            VirtualTimeSource time, @Autowired Application.Reports reports, CapturedOutput output) {
        await().until(() -> output.getOut().contains("Rate limit of rule \"Reports.daily\" exceeded"));
        int before = reports.dailyRuns();

        time.advance(Duration.ofHours(1));

        await().until(() -> reports.dailyRuns() > before);
        assertThat(output).contains("Unexpected error occurred in scheduled task");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Application.Reports.class)
    static class Application {

        static class Reports {

            private final AtomicInteger daily = new AtomicInteger();

            public int dailyRuns() {
                return daily.get();
            }

            @Scheduled(fixedDelay = 1)
            @RateLimiter(limit = 1, window = "1h")
            public void daily() {
                daily.incrementAndGet();
            }
        }
    }
}
