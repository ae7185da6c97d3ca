package dev.limiter.operations;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.sample.SampleApplication;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Instances of the sample application, each with a name of its own in its metrics. */
final class Samples implements AutoCloseable {

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    Clients start(String name, String... options) {
        return started(new SpringApplicationBuilder(SampleApplication.class), name, options);
    }

    /** With Redis, after it has answered. */
    Clients startOn(RedisServer redis, String name) {
        Clients clients = started(
                new SpringApplicationBuilder(SampleApplication.class).profiles("redis"), name, "--" + redis.property());
        RateLimiters limiters = started.get(started.size() - 1).getBean(RateLimiters.class);
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        Conditions.await(() -> limiters.tryAcquire(any, "nobody").onFailure().isEmpty());
        return clients;
    }

    private Clients started(SpringApplicationBuilder application, String name, String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--server.port=0");
        arguments.add("--management.metrics.tags.application=" + name);
        arguments.add("--management.endpoint.limiter.access=unrestricted");
        arguments.add("--management.endpoint.health.show-details=always");
        ConfigurableApplicationContext context = application.run(arguments.toArray(String[]::new));
        started.add(context);
        ports.add(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
        return new Clients(ports.get(ports.size() - 1));
    }

    List<Integer> ports() {
        return ports;
    }

    @Override
    public void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }
}
