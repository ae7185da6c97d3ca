package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two instances with the profile redis have the limits of one. */
public abstract class SampleOnRedisContract {

    protected abstract RedisServer redis();

    /** After Redis has answered it. */
    protected abstract Clients first();

    protected abstract Clients second();

    @ParameterizedTest
    @ValueSource(strings = {"/algorithms/token-bucket", "/algorithms/sliding-window-log", "/orders/1"})
    void bothTogetherPermitTheLimit(String path) {
        Map<Integer, Long> answers = new TreeMap<>();
        Stream.of(first(), second())
                .map(instance -> CompletableFuture.supplyAsync(() -> instance.stormOf("GET", path)))
                .toList()
                .forEach(storm -> storm.join().forEach((status, count) -> answers.merge(status, count, Long::sum)));

        assertThat(answers).containsOnlyKeys(200, 429);
        // into a bucket one more drops every 36 s
        assertThat(answers.get(200)).isBetween(100L, 105L);
    }

    @Test
    void apiKeysAreNotInRedis() {
        assertThat(first().get("/orders", "X-Api-Key", "alice").statusCode()).isEqualTo(200);

        assertThat(redis().<List<String>>ask(commands -> commands.keys("*")))
                .anySatisfy(key -> assertThat(key).startsWith("sample:limiter:{OrderController.list:"))
                .allSatisfy(key -> assertThat(key).startsWith("sample:limiter:").doesNotContain("alice"));
    }
}
