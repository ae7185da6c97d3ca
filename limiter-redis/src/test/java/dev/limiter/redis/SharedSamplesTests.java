package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.redis.server.SharedSamples;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The samples that instances share on a real server. */
class SharedSamplesTests {

    private static final String KEY = "limiter:samples";

    private RedisServer server;
    private RedisClient client;

    @BeforeEach
    void start() {
        server = RedisServer.started();
        client = RedisClient.create(
                RedisURI.builder().withHost("127.0.0.1").withPort(server.port()).build());
    }

    @AfterEach
    void stop() {
        client.shutdown();
        server.close();
    }

    private SharedSamples samples() {
        return new SharedSamples(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), KEY);
    }

    private RedisCommands<String, String> commands() {
        return client.connect().sync();
    }

    private static List<String> exchange(SharedSamples samples, String text) {
        return samples.exchange(text).toCompletableFuture().join();
    }

    @Test
    void areReadFromTheFirstCallOn() {
        SharedSamples one = samples();
        SharedSamples other = samples();
        exchange(one, "one 1");
        exchange(one, "one 2");
        assertThat(exchange(other, "other 1")).containsExactly("other 1");
        assertThat(exchange(one, "one 3")).contains("other 1", "one 3").doesNotContain("one 1");
        assertThat(exchange(other, "other é 2")).contains("one 3", "other é 2").doesNotContain("one 2");
    }

    @Test
    void noneIsMissedAlsoOfMoreThanOneCallReads() {
        SharedSamples reader = samples();
        exchange(reader, "beginning");
        SharedSamples writer = samples();
        Set<String> written =
                IntStream.range(0, 1_300).mapToObj(i -> "sample " + i).collect(Collectors.toSet());
        // at once, since samples expire
        CompletableFuture.allOf(written.stream()
                        .map(text -> writer.exchange(text).toCompletableFuture())
                        .toArray(CompletableFuture[]::new))
                .join();
        List<String> read = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            read.addAll(exchange(reader, "call " + i));
        }
        assertThat(read).containsAll(written).hasSizeLessThan(1_320);
    }

    @Test
    void expireAndLeaveNothing() {
        SharedSamples samples = samples();
        exchange(samples, "one");
        assertThat(commands().pttl(KEY)).isBetween(1L, SharedSamples.LIFETIME.toMillis());
        commands().zadd(KEY, 1, "of long ago");
        exchange(samples, "two");
        assertThat(commands().zrange(KEY, 0, -1)).containsExactly("one", "two");
    }

    /** Of a server whose clock was ahead. */
    @Test
    void noneIsMissedBesideOneOfTheFuture() {
        SharedSamples samples = samples();
        SharedSamples other = samples();
        exchange(samples, "before");
        commands().zadd(KEY, 9e15, "of the future");
        assertThat(exchange(samples, "one")).contains("of the future");
        exchange(other, "other");
        assertThat(exchange(samples, "two")).contains("other", "two");
    }

    @Test
    void whatIsTooLongIsLeftOutAndAnotherTypeFails() {
        SharedSamples samples = samples();
        exchange(samples, "before");
        exchange(samples(), "x".repeat(70_000));
        assertThat(exchange(samples, "after")).contains("after").allMatch(text -> text.length() < 100);
        commands().del(KEY);
        commands().set(KEY, "a text");
        assertThatThrownBy(() -> exchange(samples, "again")).hasMessageContaining("WRONGTYPE");
    }
}
