package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Limits in Redis: an event loop never waits for it, whether it replies or not. */
@org.junit.jupiter.api.Timeout(120)
class RedisTests {

    private static final String RULES = """
            limiter:
              storage: redis
              rules:
                limited: {paths: ["/limited"], key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                flight: {paths: ["/limited"], key: global, limit: 1000, algorithm: concurrency}
                early: {paths: ["/early"], phase: request, key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                annotated: {key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                plain: {key: "header:X-Api-Key", limit: 5, window: 1h, algorithm: fixed-window}
                annotated-events: {limit: 100, algorithm: concurrency}
                refunded: {paths: ["/refunded"], key: "header:X-Api-Key", limit: 5, window: 1h, charge-if: failed}
                both: {paths: ["/refunded"], key: global, limit: 100000, window: 1h}
            """;

    private static final RedisServer redis = RedisServer.started();
    private static final Applications applications = new Applications();
    private static Clients clients;
    private static Clients others;
    private static Streams streams;

    @BeforeAll
    static void start() {
        ConfigurableApplicationContext context = applications.start(Streams.class, RULES, "--" + redis.property());
        clients = Applications.clients(context);
        streams = context.getBean(Streams.class);
        others = Applications.clients(applications.start(Streams.class, RULES, "--" + redis.property()));
    }

    @AfterEach
    void resume() {
        redis.resume();
    }

    @AfterAll
    static void stop() {
        applications.close();
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"/limited", "/early", "/annotated", "/plain"})
    void instancesShareLimits(String path) {
        for (int i = 0; i < 5; i++) {
            assertThat((i % 2 == 0 ? clients : others)
                            .get(path, "X-Api-Key", "shared")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(clients.get(path, "X-Api-Key", "shared").statusCode()).isEqualTo(429);
        assertThat(others.get(path, "X-Api-Key", "shared").statusCode()).isEqualTo(429);
        assertThat(clients.storm(path, "storm-1", "storm-2"))
                .containsEntry("storm-1 200", 5L)
                .containsEntry("storm-2 200", 5L);
    }

    @Test
    void refundedRequestsDoNotGoOnInAThreadOfTheRedisClient() {
        streams.committing.clear();
        for (int i = 0; i < 20; i++) {
            assertThat(clients.get("/refunded", "X-Api-Key", "a")
                            .headers()
                            .firstValue("RateLimit")
                            .orElseThrow())
                    .contains("\"refunded\";r=5");
        }
        assertThat(streams.committing)
                .isNotEmpty()
                .allMatch(name -> name.startsWith(Streams.EVENT_LOOP) || name.startsWith("parallel-"));
    }

    @Test
    void noEventLoopWaitsForRedis() {
        try (ThreadSamples samples = new ThreadSamples()) {
            clients.storm("/limited", "sampled-1", "sampled-2");
            redis.pause();
            Map<String, Long> limited = clients.storm("/limited", "down-1", "down-2");
            assertThat(limited.keySet()).isSubsetOf("down-1 200", "down-1 429", "down-2 200", "down-2 429");
            assertThat(limited).containsKeys("down-1 200", "down-1 429");
            for (String path : new String[] {"/early", "/annotated", "/plain"}) {
                assertThat(clients.get(path, "X-Api-Key", "down").statusCode()).isEqualTo(200);
            }
            assertThat(clients.storm("/free", "any")).isEqualTo(Map.of("any 200", 1_000L));
            redis.resume();
            clients.storm("/limited", "back-1", "back-2");
            Conditions.await(() -> samples.taken.get() > 20);
            assertThat(samples.ofEventLoop.get()).isPositive();
            assertThat(samples.blocked).isEmpty();
            // a limited handler method goes on in a thread of Reactor
            assertThat(streams.committing)
                    .allMatch(name -> name.startsWith(Streams.EVENT_LOOP) || name.startsWith("parallel-"));
        }
    }

    /** Looks at the stacks of event loops all the time. */
    private static final class ThreadSamples implements AutoCloseable {

        final Set<String> blocked = ConcurrentHashMap.newKeySet();
        final AtomicInteger taken = new AtomicInteger();
        final AtomicInteger ofEventLoop = new AtomicInteger();
        private final Thread sampler = new Thread(this::run, "sampler");
        private volatile boolean closed;

        ThreadSamples() {
            sampler.setDaemon(true);
            sampler.start();
        }

        private void run() {
            while (!closed) {
                Thread.getAllStackTraces().forEach(this::look);
                taken.incrementAndGet();
                RealTime.pass(Duration.ofMillis(1));
            }
        }

        private void look(Thread thread, StackTraceElement[] stack) {
            if (!thread.getName().startsWith(Streams.EVENT_LOOP)) {
                return;
            }
            ofEventLoop.incrementAndGet();
            if (stack.length == 0 || !waits(stack[0])) {
                return;
            }
            for (StackTraceElement frame : stack) {
                if (frame.getClassName().startsWith("dev.limiter.")) {
                    blocked.add(String.join("\n", Arrays.toString(stack).split(", ")));
                    return;
                }
            }
        }

        /** The state of a thread may have changed since its stack was seen, so only the stack counts. */
        private static boolean waits(StackTraceElement top) {
            return top.getMethodName().equals("park")
                    || top.getMethodName().equals("wait")
                    || top.getMethodName().equals("sleep");
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
