package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.redis.server.SharedDocument;
import dev.limiter.redis.server.SharedDocument.Version;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A document on a real server, which is never replaced unseen. */
class SharedDocumentTests {

    private static final String KEY = "limiter:changes";
    private static final int WRITERS = 4;
    private static final int TIMES = 250;

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

    private SharedDocument document() {
        return new SharedDocument(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), KEY);
    }

    private static <T extends @Nullable Object> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Test
    void isToldToWhoKnowsAnotherVersion() {
        SharedDocument document = document();
        assertThat(answer(document.otherThan(0))).isNull();
        assertThat(answer(document.otherThan(3))).isEqualTo(new Version(0, ""));

        assertThat(answer(document.replace(0, new Version(1, "a\nb ü\n")))).isTrue();

        assertThat(answer(document.otherThan(1))).isNull();
        assertThat(answer(document.otherThan(0))).isEqualTo(new Version(1, "a\nb ü\n"));
        assertThat(answer(document.replace(0, new Version(1, "other")))).isFalse();
        assertThat(answer(document.otherThan(11))).isEqualTo(new Version(1, "a\nb ü\n"));
        assertThat(server.<Long>ask(commands -> commands.ttl(KEY))).isEqualTo(-1);
    }

    @Test
    void eachOfManyWritersHasSeenWhatItReplaces() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                SharedDocument document = document();
                running.add(writers.submit(() -> add(document)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            writers.shutdownNow();
        }
        assertThat(answer(document().otherThan(0)))
                .isEqualTo(new Version(WRITERS * TIMES, Integer.toString(WRITERS * TIMES)));
    }

    /** Counts in the document. */
    private static void add(SharedDocument document) {
        Version known = new Version(0, "0");
        for (int added = 0; added < TIMES; ) {
            Version next = new Version(known.number() + 1, Integer.toString(Integer.parseInt(known.text()) + 1));
            if (answer(document.replace(known.number(), next))) {
                known = next;
                added++;
            } else {
                known = Objects.requireNonNull(answer(document.otherThan(known.number())));
            }
        }
    }
}
