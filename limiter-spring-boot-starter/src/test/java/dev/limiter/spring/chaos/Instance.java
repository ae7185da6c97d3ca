package dev.limiter.spring.chaos;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** One of two instances of an application. Permits of each API key hardly refill. */
final class Instance implements AutoCloseable {

    static final long LIMIT = 400;

    private static final Rule ANY = Rule.of("any", Limit.tokenBucket(1000, Duration.ofSeconds(1)));

    private final ConfigurableApplicationContext context;

    Instance(int redisPort, String... properties) {
        this(Stream.concat(Stream.of("spring.data.redis.port=" + redisPort), Stream.of(properties)));
    }

    /** @param properties including the address of Redis ¶ @param more configuration classes */
    Instance(Stream<String> properties, Class<?>... more) {
        context = new SpringApplicationBuilder(Application.class)
                .sources(more)
                .run(Stream.concat(
                                Stream.of(
                                        "server.port=0",
                                        "server.tomcat.max-keep-alive-requests=-1",
                                        "limiter.storage=redis",
                                        "limiter.redis.instances=2",
                                        "limiter.redis.key-secret=known-to-this-test",
                                        "limiter.rules.local.paths=/local",
                                        "limiter.rules.local.key=header:X-Api-Key",
                                        "limiter.rules.local.limit=" + LIMIT,
                                        "limiter.rules.local.window=100d",
                                        "limiter.rules.closed.paths=/closed",
                                        "limiter.rules.closed.key=header:X-Api-Key",
                                        "limiter.rules.closed.limit=" + LIMIT,
                                        "limiter.rules.closed.window=100d",
                                        "limiter.rules.closed.algorithm=sliding-window-log",
                                        "limiter.rules.closed.on-failure=deny"),
                                properties)
                        .map(property -> "--" + property)
                        .toArray(String[]::new));
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Returns whether this decision was made in Redis, which the next one then is as well. */
    boolean usesRedis() {
        return limiters().tryAcquire(ANY, "nobody").onFailure().isEmpty();
    }

    /** Uses a rule with enough permits, because Redis is not called for keys that are known to be rejected. */
    boolean hasGivenUpRedis() {
        usesRedis();
        return !context.getBean(FailoverRateLimiterStorage.class).isAvailable();
    }

    RateLimiters limiters() {
        return context.getBean(RateLimiters.class);
    }

    /** Returns how often a rule had an outcome. */
    long count(String rule, Outcome outcome) {
        return context.getBean(Outcomes.class).count(rule, outcome);
    }

    void forgetCounts() {
        context.getBean(Outcomes.class).forget();
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }

        @Bean
        Outcomes outcomes() {
            return new Outcomes();
        }

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({"/local", "/closed", "/today"})
        String served() {
            return "served";
        }
    }

    static class Outcomes implements RateLimitListener {

        private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

        @Override
        public void onDecision(RateLimitEvent event) {
            counts.computeIfAbsent(event.rule() + event.outcome(), absent -> new LongAdder())
                    .increment();
        }

        long count(String rule, Outcome outcome) {
            LongAdder count = counts.get(rule + outcome);
            return count == null ? 0 : count.sum();
        }

        void forget() {
            counts.clear();
        }
    }
}
