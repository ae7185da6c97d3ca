package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server replies in time, but the event loop of the client reads the replies too late. */
class LateReaderTests {

    private final RedisServer server = RedisServer.started();
    private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
    private final StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final Rule rule = Rule.of("rule", Limit.tokenBucket(1000, Duration.ofDays(1)));

    /** Counted down when a decision is late. */
    private final Queue<CountDownLatch> late = new ConcurrentLinkedQueue<>();

    private volatile boolean nextBlocks;

    private volatile boolean stopped;

    /** The read that one decision waits for; complete before the next decision. */
    private volatile CompletableFuture<?> reading = CompletableFuture.completedFuture(null);

    /** Pauses the event loop between a command and its reply, until that is late. */
    private final Redis redis = new LettuceRedis(connection) {
        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
            CompletionStage<byte[]> answer = super.run(script, names, arguments);
            if (nextBlocks) {
                nextBlocks = false;
                block();
            }
            return answer;
        }

        @Override
        public CompletionStage<?> answersRead(byte[] key) {
            late.forEach(CountDownLatch::countDown);
            // the reply to a later command is read later
            CompletionStage<?> read = stopped
                    ? super.answersRead(key)
                    : connection.async().ping().thenCompose(pong -> super.answersRead(key));
            reading = read.toCompletableFuture();
            return read;
        }
    };

    private final FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                    RedisRateLimiterStorage.builder(redis)
                            .timeout(Duration.ofMillis(200))
                            .build(),
                    new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
            .listener(new StorageListener() {
                @Override
                public void lost(String node, Throwable cause) {
                    lost.add(String.valueOf(cause.getMessage()));
                }
            })
            .build();

    @AfterEach
    void close() {
        nextBlocks = false;
        late.forEach(CountDownLatch::countDown);
        server.resume();
        storage.close();
        client.shutdown();
        server.close();
    }

    /** Prevents the event loop from reading. */
    private void block() {
        CountDownLatch until = new CountDownLatch(1);
        late.add(until);
        connection.dispatch(new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE)) {
            @Override
            public void encode(ByteBuf buffer) {
                try {
                    until.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                super.encode(buffer);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areAwaited(boolean blocking) {
        storage.warmUp(List.of(rule), Duration.ofSeconds(30));
        for (int i = 1; i <= 10; i++) {
            reading.join();
            nextBlocks = true;
            Decision decision = blocking
                    ? storage.decide(List.of(rule.charge("key")))
                    : storage.decideAsync(List.of(rule.charge("key"))).join();
            assertThat(decision.onFailure()).isEmpty();
            assertThat(decision.remaining()).isEqualTo(1000 - i);
        }
        assertThat(lost).isEmpty();
    }

    @Test
    @Timeout(60)
    void thePausedServerStillOpensItsBreaker() {
        storage.warmUp(List.of(rule), Duration.ofSeconds(30));
        server.pause();
        stopped = true;
        while (lost.isEmpty()) {
            nextBlocks = true;
            assertThat(storage.decide(List.of(rule.charge("key"))).onFailure()).isPresent();
            late.forEach(CountDownLatch::countDown);
        }
        assertThat(lost).hasSize(1);
    }

    /** By default Lettuce keeps commands until it is connected, so no reader reports that it has run. */
    @Test
    @Timeout(60)
    void aDeadServerOpensItsBreakerIfTheClientKeepsCommands() {
        storage.warmUp(List.of(rule), Duration.ofSeconds(30));
        stopped = true;
        server.close();
        while (lost.isEmpty()) {
            assertThat(storage.decide(List.of(rule.charge("key"))).onFailure()).isPresent();
        }
        assertThat(lost).hasSize(1);
    }
}
