package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.decide.StorageEvent;
import dev.limiter.spring.decide.StorageEvent.State;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Failure and recovery of Redis are reported at once by the log, a meter, listeners and application events. */
@ExtendWith(OutputCaptureExtension.class)
class StorageEventTests {

    private static ConfigurableApplicationContext start(RedisServer redis) {
        return Applications.start(Limited.class, Applications.limiter("""
            storage: redis
            rules:
              hello: { paths: /hello, limit: 1000000, window: 1h }
            """, redis.property()));
    }

    @Test
    void reportsLossAndRecovery(CapturedOutput output) {
        try (RedisServer redis = RedisServer.started();
                ConfigurableApplicationContext application = start(redis)) {
            Clients clients = Applications.clientsOf(application);
            Limited told = application.getBean(Limited.class);
            await(() -> clients.get("/hello").statusCode() == 200 && available(application) == 1);
            // the first call to a new server may have been slow
            int before = told.published.size();
            assertThat(told.heard).hasSameSizeAs(told.published);

            redis.kill();
            await(() -> clients.get("/hello").statusCode() == 200 && told.published.size() == before + 1);
            StorageEvent lost = told.published.get(before);
            assertThat(lost.state()).isEqualTo(State.LOST);
            assertThat(lost.storage()).isEqualTo("redis");
            assertThat(lost.node()).isEmpty();
            assertThat(lost.cause()).isNotNull();
            await(() -> available(application) == 0);
            await(() -> output.toString().contains("Redis is unavailable"));
            assertThat(output).contains(lost.cause().getMessage());

            redis.start();
            await(() -> clients.get("/hello").statusCode() == 200 && told.published.size() == before + 2);
            StorageEvent found = told.published.get(before + 1);
            assertThat(found.state()).isEqualTo(State.FOUND);
            assertThat(found.cause()).isNull();
            assertThat(found.at()).isAfterOrEqualTo(lost.at());
            await(() -> available(application) == 1);
            await(() -> output.toString().contains("Redis is available again"));

            assertThat(told.heard).containsExactlyElementsOf(told.published);
            assertThat(told.threads).containsOnly("limiter-storage-events");
        }
    }

    /** Events during startup are delivered once all listeners exist. */
    @Test
    void reportsAServerThatIsDownOnStartup() {
        try (RedisServer redis = RedisServer.stopped();
                ConfigurableApplicationContext application = start(redis)) {
            Clients clients = Applications.clientsOf(application);
            Limited told = application.getBean(Limited.class);
            await(() -> clients.get("/hello").statusCode() == 200 && !told.published.isEmpty());
            assertThat(told.published).extracting(StorageEvent::state).containsExactly(State.LOST);
            assertThat(told.heard).containsExactlyElementsOf(told.published);
        }
    }

    private static double available(ConfigurableApplicationContext application) {
        return application
                .getBean(MeterRegistry.class)
                .get("limiter.redis.available")
                .gauge()
                .value();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        private final List<StorageEvent> heard = new CopyOnWriteArrayList<>();
        private final List<StorageEvent> published = new CopyOnWriteArrayList<>();
        private final List<String> threads = new CopyOnWriteArrayList<>();

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }

        @EventListener
        void published(StorageEvent event) {
            published.add(event);
        }

        @Bean
        static RateLimitListener faulty() {
            return new Listener() {
                @Override
                public void onStorageLost(StorageEvent event) {
                    throw new IllegalStateException("on purpose");
                }
            };
        }

        @Bean
        RateLimitListener listener() {
            return new Listener() {
                @Override
                public void onStorageLost(StorageEvent event) {
                    threads.add(Thread.currentThread().getName());
                    heard.add(event);
                }

                @Override
                public void onStorageFound(StorageEvent event) {
                    threads.add(Thread.currentThread().getName());
                    heard.add(event);
                }
            };
        }
    }

    private static class Listener implements RateLimitListener {

        @Override
        public void onDecision(RateLimitEvent event) {
            // from another test
        }
    }
}
