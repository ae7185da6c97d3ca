package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Traces contain the waits and Redis calls of a request. Meters are the same as without traces. */
@org.junit.jupiter.api.Tag("each-line")
class ObservationTests {

    private static final String[] RULES = Applications.limiter("""
        rules:
          pool: { paths: /pool, algorithm: concurrency, limit: 1, max-wait: 60s }
          brief: { paths: /brief, algorithm: concurrency, limit: 1, max-wait: 1s }
          hello: { paths: /hello, limit: 1000, window: 1h, max-wait: 60s }
        """);

    private static ConfigurableApplicationContext start(String... more) {
        return Operator.start(Traced.class, RULES, more);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failedWaitIsObservedUnlessDisabled(boolean enabled) {
        try (ConfigurableApplicationContext application = start("management.observations.enable.limiter=" + enabled)) {
            Clients clients = Applications.clientsOf(application);
            Traced traced = application.getBean(Traced.class);
            CompletableFuture<Integer> first = request(clients, "/brief");
            await(() -> traced.entered.getCount() == 0);
            assertThat(clients.get("/brief").statusCode()).isEqualTo(503);
            assertThat(traced.of("limiter.wait"))
                    .extracting(Seen::tags)
                    .isEqualTo(enabled ? List.of("outcome=rejected rule=brief") : List.of());
            assertThat(traced.of("limiter.storage")).isEmpty();
            traced.gate.countDown();
            assertThat(first.join()).isEqualTo(200);
        }
    }

    @Test
    void waitsAndCallsAreObservedOnRedis() {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext application =
                        start("limiter.storage=redis", "limiter.redis.timeout=5s", redis.property())) {
            Clients clients = Applications.clientsOf(application);
            Traced traced = application.getBean(Traced.class);
            assertThat(clients.get("/hello").statusCode()).isEqualTo(200);
            assertThat(traced.of("limiter.wait")).as("nothing has waited").isEmpty();

            CompletableFuture<Integer> first = request(clients, "/pool");
            await(() -> traced.entered.getCount() == 0);
            CompletableFuture<Integer> second = request(clients, "/pool");
            await(() -> queued(application) == 1);
            traced.gate.countDown();
            assertThat(first.join()).isEqualTo(200);
            assertThat(second.join()).isEqualTo(200);

            assertThat(traced.of("limiter.wait"))
                    .containsExactly(new Seen(
                            "limiter.wait", "wait for permits", "outcome=permitted rule=pool", "http.server.requests"));
            assertThat(queued(application)).isZero();
            assertThat(tags(application, "limiter.wait")).containsOnly("rule");
            assertThat(names(application))
                    .contains("http.server.requests")
                    .doesNotContain("limiter.wait.active", "limiter.storage.active");
            List<Seen> calls = traced.of("limiter.storage");
            assertThat(calls).extracting(Seen::tags).contains("outcome=ok rule=hello", "outcome=ok rule=pool");
            assertThat(calls)
                    .filteredOn(call -> call.tags().equals("outcome=ok rule=hello"))
                    .extracting(Seen::parent)
                    .contains("http.server.requests");
            assertThat(tags(application, "limiter.storage")).containsOnly("outcome");
        }
    }

    private static CompletableFuture<Integer> request(Clients clients, String path) {
        return CompletableFuture.supplyAsync(() -> clients.get(path).statusCode(), task -> new Thread(task).start());
    }

    private static double queued(ConfigurableApplicationContext application) {
        return Operator.of(application).meter("limiter.queued?tag=rule:pool");
    }

    private static Stream<String> tags(ConfigurableApplicationContext application, String meter) {
        return application.getBean(MeterRegistry.class).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().equals(meter))
                .flatMap(id -> id.getTags().stream())
                .map(Tag::getKey);
    }

    private static Stream<String> names(ConfigurableApplicationContext application) {
        return application.getBean(MeterRegistry.class).getMeters().stream()
                .map(meter -> meter.getId().getName());
    }

    /** @param parent the outermost observation */
    private record Seen(String name, String forPeople, String tags, String parent) {

        static Seen of(Observation.Context context) {
            ObservationView outermost = context.getParentObservation();
            while (outermost != null && outermost.getContextView().getParentObservation() != null) {
                outermost = outermost.getContextView().getParentObservation();
            }
            String tags = String.join(
                    " ",
                    context.getLowCardinalityKeyValues().stream()
                            .map(tag -> tag.getKey() + "=" + tag.getValue())
                            .sorted()
                            .toList());
            return new Seen(
                    context.getName(),
                    context.getContextualName(),
                    tags,
                    outermost == null ? "" : outermost.getContextView().getName());
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Traced {

        private final List<Seen> seen = new CopyOnWriteArrayList<>();
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch gate = new CountDownLatch(1);

        private List<Seen> of(String name) {
            return seen.stream().filter(one -> one.name().equals(name)).toList();
        }

        @Bean
        ObservationHandler<Observation.Context> handler() {
            return new ObservationHandler<>() {
                @Override
                public void onStop(Observation.Context context) {
                    seen.add(Seen.of(context));
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            };
        }

        @GetMapping({"/pool", "/brief"})
        String pool() throws InterruptedException {
            entered.countDown();
            assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
            return "ok";
        }

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }
}
