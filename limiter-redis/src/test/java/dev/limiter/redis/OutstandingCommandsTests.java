package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server hangs while more commands arrive than it can ever reply to in time. */
class OutstandingCommandsTests {

    private static final int MORE = 50;

    private final Queue<String> logged = new ConcurrentLinkedQueue<>();
    private final Logger lettuce = Logger.getLogger("io.lettuce");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (!isOfAnotherServer(line.getMessage())) {
                logged.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final RedisServer server = RedisServer.started();
    private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
    private LettuceRedis redis;

    @BeforeEach
    void connect() {
        lettuce.addHandler(handler);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(LettuceRedis.MOST_UNANSWERED)
                .build());
        redis = new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
        ask().join();
    }

    @AfterEach
    void close() {
        lettuce.removeHandler(handler);
        server.resume();
        client.shutdown();
        server.close();
    }

    /** Returns whether a log message is about another test, whose client may still try to connect or is collected now. */
    private boolean isOfAnotherServer(String line) {
        return line.startsWith("Unable to connect") && !line.contains(":" + server.port())
                || line.contains("was not shut down properly");
    }

    private CompletableFuture<byte[]> ask() {
        byte[][] keys = {"key".getBytes(StandardCharsets.UTF_8)};
        return redis.run(Script.of(ScriptFiles.read("policy")), keys).toCompletableFuture();
    }

    @Test
    void areBoundedWithoutLogging() {
        server.pause();
        List<CompletableFuture<byte[]>> sent = new ArrayList<>();
        for (int i = 0; i < LettuceRedis.MOST_UNANSWERED; i++) {
            sent.add(ask());
        }
        for (int i = 0; i < MORE; i++) {
            CompletableFuture<byte[]> another = ask();
            assertThat(another).isCompletedExceptionally();
            assertThatThrownBy(another::join)
                    .satisfies(failure ->
                            assertThat(RedisErrors.isNotDone(failure)).isTrue());
        }
        server.resume();
        // each sent command gets a reply, and then others are sent
        assertThat(sent).allMatch(command -> command.join() != null);
        Conditions.await(() -> !ask().isCompletedExceptionally());
        assertThat(logged).isEmpty();
    }
}
