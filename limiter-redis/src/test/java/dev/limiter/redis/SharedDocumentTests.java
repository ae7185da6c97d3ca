package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.redis.SharedDocument.Version;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A document on a real server; no writer replaces a version that it has not read. */
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
    void isReturnedForAnotherRevision() {
        SharedDocument document = document();
        assertThat(answer(document.otherThan("0"))).isNull();
        assertThat(answer(document.otherThan("3-a"))).isEqualTo(new Version("0", ""));

        assertThat(answer(document.replace("0", new Version("1-a", "a\nb ü\n"))))
                .isTrue();

        assertThat(answer(document.otherThan("1-a"))).isNull();
        assertThat(answer(document.otherThan("0"))).isEqualTo(new Version("1-a", "a\nb ü\n"));
        assertThat(answer(document.replace("0", new Version("1-b", "other")))).isFalse();
        assertThat(answer(document.otherThan("1-b"))).isEqualTo(new Version("1-a", "a\nb ü\n"));
        assertThat(answer(document.otherThan("1"))).isEqualTo(new Version("1-a", "a\nb ü\n"));
        assertThat(server.<Long>ask(commands -> commands.ttl(KEY))).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "replaced", "document", "one line", "\n", "\nchange", "5\r\n\u00ff\u00fe"})
    void aForeignTextIsReadAndReplaced(String written) {
        SharedDocument document = document();
        server.ask(commands -> commands.set(KEY, written));

        Version read = Objects.requireNonNull(answer(document.otherThan("1-a")));
        assertThat(answer(document.replace("1-a", new Version("2-b", "")))).isFalse();
        assertThat(answer(document.replace(read.revision(), new Version("2-b", "text"))))
                .isTrue();
        assertThat(answer(document.otherThan("1-a"))).isEqualTo(new Version("2-b", "text"));
    }

    @Test
    void aForeignTypeIsReplaced() {
        SharedDocument document = document();
        server.<Long>ask(commands -> commands.lpush(KEY, "a"));

        assertThat(answer(document.otherThan("0"))).isEqualTo(new Version("list", ""));
        assertThat(answer(document.replace("list", new Version("1-a", "text")))).isTrue();
        assertThat(answer(document.otherThan("0"))).isEqualTo(new Version("1-a", "text"));
    }

    @Test
    void eachOfManyWritersHasReadTheTextItReplaces() throws Exception {
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
        assertThat(answer(document().otherThan("0")))
                .extracting(Version::text)
                .isEqualTo(Integer.toString(WRITERS * TIMES));
    }

    /** Increments the number in the document. */
    private static void add(SharedDocument document) {
        Version known = new Version("0", "0");
        for (int added = 0; added < TIMES; ) {
            int next = Integer.parseInt(known.text()) + 1;
            Version counted = new Version(next + "-" + UUID.randomUUID(), Integer.toString(next));
            if (answer(document.replace(known.revision(), counted))) {
                known = counted;
                added++;
            } else {
                known = Objects.requireNonNull(answer(document.otherThan(known.revision())));
            }
        }
    }
}
