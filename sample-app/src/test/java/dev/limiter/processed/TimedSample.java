package dev.limiter.processed;

import dev.limiter.RateLimiters;
import dev.limiter.sample.SampleApplication;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The sample with a time that stands still, which the endpoint {@code time} moves. */
@Configuration(proxyBeanMethods = false)
@Import(SampleApplication.class)
public class TimedSample {

    public static void main(String... arguments) {
        SpringApplication.run(TimedSample.class, arguments);
    }

    @Bean
    VirtualTimeSource time() {
        return new VirtualTimeSource();
    }

    @Bean
    Time timeEndpoint(VirtualTimeSource time, RateLimiters limiters) {
        return new Time(time, limiters);
    }

    @Endpoint(id = "time")
    static final class Time {

        private final VirtualTimeSource time;
        private final RateLimiters limiters;

        Time(VirtualTimeSource time, RateLimiters limiters) {
            this.time = time;
            this.limiters = limiters;
        }

        /** The number of requests that wait for permits. */
        @ReadOperation
        public int waiting() {
            return limiters.waiting();
        }

        @WriteOperation
        public void advance(String by) {
            time.advance(Duration.parse(by));
        }

        /** On to the next day: all buckets are full, and no ban lasts. */
        @DeleteOperation
        public void endDay() {
            Duration day = Duration.ofDays(1);
            Duration passed = Duration.between(VirtualTimeSource.START, time.now());
            time.advance(day.minusNanos(passed.toNanos() % day.toNanos()));
        }
    }
}
