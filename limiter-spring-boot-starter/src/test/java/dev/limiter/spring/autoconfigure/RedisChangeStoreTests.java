package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.Redis;
import dev.limiter.redis.Script;
import dev.limiter.redis.SharedDocument;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two instances lose no change, whatever Redis contains or loses. */
class RedisChangeStoreTests {

    private static final Changes FIRST = new Changes(1, Map.of());
    private static final Changes SECOND = new Changes(2, Map.of());

    private final String key = "limiter:" + UUID.randomUUID() + ":changes";
    private RedisClient client;
    private Redis redis;
    private Network network;
    private RedisChangeStore one;
    private RedisChangeStore other;

    @BeforeEach
    void connect() {
        client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(RedisServer.shared().port())
                .build());
        redis = new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
        network = new Network();
        one = new RedisChangeStore(new SharedDocument(network, key));
        other = new RedisChangeStore(new SharedDocument(redis, key));
    }

    @AfterEach
    void disconnect() {
        client.shutdown();
    }

    /** A server behind a network that can lose a reply. */
    private final class Network implements Redis {

        private boolean losesReplyToWrite;

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            CompletionStage<byte[]> reply = redis.run(script, keys, arguments);
            return losesReplyToWrite && arguments.length > 1 ? new CompletableFuture<>() : reply;
        }

        @Override
        public int slot(byte[] name) {
            return redis.slot(name);
        }

        @Override
        public void close() {}
    }

    private void set(@Nullable String document) {
        if (document == null) {
            client.connect().sync().del(key);
        } else {
            client.connect().sync().set(key, document);
        }
    }

    @Test
    void onlyOneOfTwoChangesOfTheSameVersionIsSaved() {
        one.save(FIRST);
        other.load(Changes.NONE);

        assertThat(other.save(SECOND)).isTrue();
        assertThat(one.save(SECOND)).isFalse();
        assertThat(one.load(FIRST)).as("the other one").isEqualTo(SECOND);
        assertThat(one.save(new Changes(3, Map.of()))).isTrue();
    }

    @Test
    void lostChangesAreStoredAgainByAnInstance() {
        one.save(FIRST);
        other.load(Changes.NONE);
        set(null);

        assertThat(other.load(FIRST)).isNull();
        assertThat(one.load(FIRST)).isEqualTo(FIRST);
    }

    /** From a replica that has missed the last change, or an instance that was disconnected. */
    @Test
    void storedChangesCountWithAnyVersion() {
        one.save(FIRST);
        String former = client.connect().sync().get(key);
        one.save(SECOND);
        set(former);

        assertThat(one.load(SECOND)).isEqualTo(FIRST);
        set(former.replaceFirst("1-.*\n", "1-another\n"));
        assertThat(one.load(FIRST)).as("another document of this version").isEqualTo(FIRST);
    }

    @Test
    void unreadableChangesAreNeitherLoadedNorReplaced() {
        one.save(FIRST);
        for (String garbage :
                new String[] {"no document", "", "5\nchange&rule=orders", "2-00\n{version: 2", "\u0001\n"}) {
            set(garbage);
            assertThatThrownBy(() -> one.load(FIRST))
                    .isInstanceOf(ChangeStoreException.class)
                    .hasMessageContaining("cannot be read");
            assertThat(one.save(SECOND)).isFalse();
        }
        set(null);
        assertThat(one.load(FIRST)).isNull();
        assertThat(other.load(Changes.NONE)).isEqualTo(FIRST);
    }

    @Test
    void changeIsFoundAfterALostReply() {
        network.losesReplyToWrite = true;

        assertThatThrownBy(() -> one.save(FIRST))
                .isInstanceOf(ChangeStoreException.class)
                .hasMessageContaining("may or may not take effect");
        assertThat(one.load(Changes.NONE)).isEqualTo(FIRST);
    }
}
