package dev.limiter.benchmarks.web;

import dev.limiter.TimeSource;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.RejectedKeys;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.context.ConfigurableWebServerApplicationContext;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** {@code GET /hello} returns "hello", limited by one of the {@link Variant}s. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SentinelConfiguration.class)
public class HelloApplication {

    @RestController
    @Profile("!resilience4j & !gateway")
    static class PlainGreeting {

        @GetMapping("/hello")
        public String hello() {
            return "hello";
        }
    }

    @RestController
    @Profile("resilience4j")
    static class AnnotatedGreeting {

        @GetMapping("/hello")
        @RateLimiter(name = "hello")
        public String hello() {
            return "hello";
        }
    }

    /** bucket4j's starter keeps its buckets in a cache. */
    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    @Profile("bucket4j")
    static class Caches {}

    /** Spring Boot would choose Tomcat, which is also there. */
    @Configuration(proxyBeanMethods = false)
    @Profile("reactive")
    static class Netty {

        @Bean
        NettyReactiveWebServerFactory server() {
            return new NettyReactiveWebServerFactory();
        }
    }

    /** The gateway's own limit gets its keys from a bean. */
    @Configuration(proxyBeanMethods = false)
    @Profile("gateway-request-rate-limiter")
    static class Addresses {

        @Bean
        KeyResolver address() {
            return exchange -> Mono.just(
                    exchange.getRequest().getRemoteAddress().getAddress().getHostAddress());
        }
    }

    /** The beans of an application that exposes Actuator's endpoints for metrics and limits. */
    @Configuration(proxyBeanMethods = false)
    @Profile("limiter-ietf-observed")
    static class Observers {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        DecisionCounts counts() {
            return new DecisionCounts();
        }

        @Bean
        RejectedKeys rejected(KeyHash hash) {
            return new RejectedKeys(hash);
        }

        @Bean
        DemandRecorder demand(TimeSource clock) {
            return new DemandRecorder(clock);
        }
    }

    /**
     * Starts the application on a free port of the loopback address.
     *
     * @param rejects whether almost all requests are rejected; otherwise none
     * @param properties more properties, in the form of command line arguments
     */
    static ConfigurableWebServerApplicationContext start(Variant variant, boolean rejects, String... properties) {
        return (ConfigurableWebServerApplicationContext) new SpringApplicationBuilder(HelloApplication.class)
                .profiles(variant.profile())
                .properties("spring.config.name=hello")
                .profiles(rejects ? new String[] {"rejects"} : new String[0])
                .run(properties);
    }

    /**
     * Prints its port, then runs until its input ends, so that it never outlives its parent process.
     *
     * @param args the profile of a {@link Variant}, then properties
     */
    public static void main(String[] args) throws Exception {
        try (var context = start(Variant.of(args[0]), false, Arrays.copyOfRange(args, 1, args.length))) {
            System.out.println("port " + context.getWebServer().getPort());
            while (System.in.read() >= 0) {
                // until the end
            }
        }
    }
}
