package dev.limiter.processed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.sample.SampleApplication;
import dev.limiter.sample.SampleContract;
import dev.limiter.sample.SampleOnRedisContract;
import dev.limiter.testkit.AheadOfTime;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contracts of the sample, on the output of {@code process-aot}: processes of their own that answer over HTTP, and
 * start without scanning the class path or evaluating conditions.
 */
@Tag("long")
class ProcessedSampleTests {

    private static final String AS_PROCESSED = "Starting AOT-processed ";

    @Nested
    class InMemory extends SampleContract {

        private static final String TIME = "/actuator/time";

        private static AheadOfTime.Running sample;

        @BeforeAll
        static void start(@TempDir Path folder) throws IOException {
            String[] arguments = {
                "--server.port=0", "--management.endpoints.web.exposure.include=health,metrics,limiter,time"
            };
            sample = new AheadOfTime(TimedSample.class, folder, arguments).start(arguments);
            assertThat(sample.log()).contains(AS_PROCESSED + "TimedSample");
        }

        @AfterAll
        static void stop() {
            sample.close();
        }

        @BeforeEach
        void beginDay() {
            clients = sample.clients();
            assertThat(clients.send("DELETE", TIME).statusCode()).isEqualTo(204);
        }

        @Override
        protected void advance(Duration duration) {
            assertThat(clients.post(TIME, "{\"by\":\"" + duration + "\"}").statusCode())
                    .isEqualTo(204);
        }

        @Override
        protected int waiting() {
            return Integer.parseInt(clients.get(TIME).body());
        }
    }

    @Nested
    class OnRedis extends SampleOnRedisContract {

        private static RedisServer redis;
        private static AheadOfTime.Running first;
        private static AheadOfTime.Running second;

        @BeforeAll
        static void start(@TempDir Path folder) throws IOException {
            redis = RedisServer.started();
            String[] arguments = {
                "--server.port=0",
                "--spring.profiles.active=redis",
                "--" + redis.property(),
                "--limiter.redis.timeout=5s"
            };
            AheadOfTime processed = new AheadOfTime(SampleApplication.class, folder, arguments);
            first = processed.start(arguments);
            second = processed.start(arguments);
            assertThat(first.log()).contains(AS_PROCESSED + "SampleApplication");
            awaitRedis(first.clients(), "one");
            awaitRedis(second.clients(), "another");
        }

        /** Connects in the background: until then the keys are in memory. */
        private static void awaitRedis(Clients clients, String key) {
            int before = catalogKeys();
            Conditions.await(() -> {
                clients.get("/catalog", "X-Api-Key", key);
                return catalogKeys() > before;
            });
        }

        private static int catalogKeys() {
            return redis.ask(commands -> commands.keys("*{catalog*").size());
        }

        @AfterAll
        static void stop() {
            first.close();
            second.close();
            redis.close();
        }

        @Override
        protected RedisServer redis() {
            return redis;
        }

        @Override
        protected Clients first() {
            return first.clients();
        }

        @Override
        protected Clients second() {
            return second.clients();
        }
    }
}
