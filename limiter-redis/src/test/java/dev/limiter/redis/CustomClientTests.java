package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** {@link Redis} allows clients other than Lettuce, here a plain socket. */
class CustomClientTests {

    /** Sends one command after the other, with the necessary subset of RESP. */
    private static final class SocketRedis implements Redis {

        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final Socket socket;

        SocketRedis(int port) throws IOException {
            socket = new Socket("127.0.0.1", port);
        }

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return send(words("EVALSHA", script.digest(), keys, arguments));
                        } catch (IllegalStateException unknown) {
                            return send(words("EVAL", script.text(), keys, arguments));
                        }
                    },
                    thread);
        }

        private static List<byte[]> words(String command, String script, byte[][] keys, byte[]... arguments) {
            List<byte[]> words = new ArrayList<>();
            for (String word : List.of(command, script, "" + keys.length)) {
                words.add(word.getBytes(StandardCharsets.UTF_8));
            }
            words.addAll(List.of(keys));
            words.addAll(List.of(arguments));
            return words;
        }

        private byte[] send(List<byte[]> words) {
            try {
                ByteArrayOutputStream command = new ByteArrayOutputStream();
                command.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.UTF_8));
                for (byte[] word : words) {
                    command.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.UTF_8));
                    command.write(word);
                    command.write("\r\n".getBytes(StandardCharsets.UTF_8));
                }
                socket.getOutputStream().write(command.toByteArray());
                return reply(new DataInputStream(socket.getInputStream()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static byte[] reply(DataInputStream input) throws IOException {
            int kind = input.read();
            StringBuilder line = new StringBuilder();
            for (int c = input.read(); c != '\n'; c = input.read()) {
                line.append((char) c);
            }
            if (kind == '-') {
                throw new IllegalStateException(line.toString().strip());
            }
            if (kind != '$') {
                return new byte[0];
            }
            byte[] value = input.readNBytes(Integer.parseInt(line.toString().strip()));
            input.skipNBytes(2);
            return value;
        }

        @Override
        public int slot(byte[] key) {
            return 0;
        }

        @Override
        public void close() {
            thread.shutdownNow();
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Rule rule = Rule.of(
            "rule",
            Limit.tokenBucket(10, Duration.ofDays(1)),
            Limit.slidingWindowLog(20, Duration.ofDays(1)).named("log"));

    private static RedisRateLimiterStorage storage() throws IOException {
        return RedisRateLimiterStorage.builder(
                        new SocketRedis(RedisServer.shared().port()))
                .keyPrefix("socket-" + System.nanoTime() + ":")
                .timeout(Duration.ofSeconds(10))
                .build();
    }

    @Test
    void decidesOverAClientOfItsOwn() throws IOException {
        try (RedisRateLimiterStorage storage = storage()) {
            for (int i = 9; i >= 0; i--) {
                assertThat(storage.decide(rule, "key", 1).remaining()).isEqualTo(i);
            }
            assertThat(storage.decide(rule, "key", 1).permitted()).isFalse();
            storage.reset(rule, "key");
            var decision = storage.decide(rule, "key", 10);
            assertThat(decision.permitted()).isTrue();
            decision.giveBack();
            assertThat(storage.peek(rule, "key").remaining()).isEqualTo(10);
        }
    }

    @Test
    void failuresOfTheClientAreAnOutage() throws IOException {
        RedisRateLimiterStorage storage = storage();
        storage.close();
        assertThatThrownBy(() -> storage.decide(rule, "key", 1)).isInstanceOf(RuntimeException.class);
    }
}
