package dev.limiter.spring;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.limiter.Decision;
import dev.limiter.RateLimitExceededException;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Two instances that share limits. */
class RateLimitTemplateRedisTests {

    private final ApplicationContextRunner instance = new ApplicationContextRunner()
            .withConfiguration(Limiter.autoConfigurations())
            .withConfiguration(AutoConfigurations.of(RedisAutoConfiguration.class))
            .withPropertyValues(
                    "limiter.storage=redis",
                    "spring.data.redis.port=" + RedisServer.shared().port(),
                    "limiter.redis.key-prefix=" + UUID.randomUUID() + ":",
                    "limiter.redis.timeout=5s",
                    "limiter.rules.mails.limit=2",
                    "limiter.rules.mails.window=1d",
                    "limiter.rules.mails.algorithm=fixed-window",
                    "limiter.rules.pool.limit=1",
                    "limiter.rules.pool.algorithm=concurrency",
                    "limiter.rules.pool.max-wait=1m");

    @Test
    void instancesShareTheBucketOfAKey() {
        instance.run(first -> instance.run(second -> {
            RateLimitTemplate one = template(first);
            RateLimitTemplate other = template(second);

            one.acquire("mails", "alice");
            other.acquire("mails", "alice");

            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> one.execute("mails", "alice", () -> "sent"));
            assertThat(other.peek("mails", "alice").permitted()).isFalse();
            other.reset("mails", "alice");
            await(() -> one.tryAcquire("mails", "alice").permitted());
        }));
    }

    @Test
    void listenerThreadWaitsForTheOtherInstance() {
        instance.run(first -> instance.run(second -> {
            RateLimitTemplate other = template(second);
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            BlockingQueue<String> handled = new LinkedBlockingQueue<>();
            Decision held = template(first).tryAcquire("pool", "tenant");
            Thread listener = new Thread(() -> {
                try {
                    String message = messages.take();
                    other.execute("pool", "tenant", () -> handled.add(message));
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                }
            });
            listener.start();

            messages.add("first");
            CompletableFuture<Decision> async = other.acquireAsync("pool", "tenant");
            assertThat(other.tryAcquire("pool", "tenant").permitted()).isFalse();
            assertThat(handled).isEmpty();
            held.close();

            var unused = async.thenAccept(Decision::close);
            assertThat(async).succeedsWithin(Duration.ofSeconds(30));
            await(() -> handled.contains("first"));
            listener.join();
        }));
    }

    private static RateLimitTemplate template(ApplicationContext context) {
        RateLimitTemplate template = context.getBean(RateLimitTemplate.class);
        await(() -> template.tryAcquire("mails", "nobody", 0).onFailure().isEmpty());
        return template;
    }
}
