package dev.limiter.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.Redis;
import dev.limiter.redis.Script;
import dev.limiter.redis.server.SharedDocument;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.RuleChange;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes of which a real server does not say in time whether they have happened. */
class RedisChangeStoreTests {

    private final String key = "limiter:" + UUID.randomUUID() + ":changes";
    private RedisClient client;
    private Redis redis;
    private RedisChangeStore undisturbed;

    @BeforeEach
    void connect() {
        client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(RedisServer.shared().port())
                .build());
        redis = new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
        undisturbed = new RedisChangeStore(new SharedDocument(redis, key));
    }

    @AfterEach
    void disconnect() {
        client.shutdown();
    }

    private static Changes changes(long number, String token, List<Revision> before, long limit) {
        RuleChange change = new RuleChange(null, limit, null, null, null, null);
        return new Changes(new Revision(number, token), before, Map.of("orders", List.of(change)), Map.of());
    }

    private static final Changes FIRST = changes(1, "aa", List.of(new Revision(0, "")), 4);
    private static final Changes SECOND = changes(2, "bb", List.of(FIRST.revision(), new Revision(0, "")), 5);

    /** The server over a network that may lose answers, and hold requests back until they are {@link #deliver}ed. */
    private final class Network implements Redis {

        private final List<Supplier<CompletionStage<byte[]>>> held = new ArrayList<>();
        private boolean answersAreLost;
        private int heldWrites;
        private boolean down;

        void deliver() {
            held.forEach(request -> request.get().toCompletableFuture().join());
        }

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            boolean write = arguments.length > 1;
            if (write && heldWrites > 0 || down) {
                heldWrites--;
                held.add(() -> redis.run(script, keys, arguments));
                return new CompletableFuture<>();
            }
            CompletionStage<byte[]> answer = redis.run(script, keys, arguments);
            if (write && answersAreLost) {
                answersAreLost = false;
                return new CompletableFuture<>();
            }
            return answer;
        }

        @Override
        public int slot(byte[] name) {
            return redis.slot(name);
        }

        @Override
        public void close() {}
    }

    @Test
    void isKeptIfOnlyTheAnswerIsLost() {
        undisturbed.replace(Changes.NONE, FIRST);
        Network network = new Network();
        network.answersAreLost = true;

        assertThat(new RedisChangeStore(new SharedDocument(network, key)).replace(FIRST, SECOND))
                .isTrue();
        assertThat(undisturbed.otherThan(SECOND)).isNull();
    }

    @Test
    void isNotKeptLaterIfItIsSaidNotToBe() {
        undisturbed.replace(Changes.NONE, FIRST);
        Network network = new Network();
        network.heldWrites = 1;
        RedisChangeStore late = new RedisChangeStore(new SharedDocument(network, key));

        assertThatThrownBy(() -> late.replace(FIRST, SECOND))
                .isInstanceOf(ChangeStoreException.class)
                .hasMessageContaining("rules stay as they are");
        network.deliver();

        Changes there = undisturbed.otherThan(SECOND);
        assertThat(there.rules()).isEqualTo(FIRST.rules());
        assertThat(there.version()).isEqualTo(1);
        assertThat(there.before()).startsWith(FIRST.revision());
        assertThat(late.replace(there, changes(2, "cc", List.of(there.revision()), 6)))
                .isTrue();
    }

    @Test
    void somebodyElsesChangeIsNotTakenForItsOwn() {
        undisturbed.replace(Changes.NONE, FIRST);
        Network network = new Network();
        network.heldWrites = 1;
        undisturbed.replace(FIRST, changes(2, "cc", List.of(FIRST.revision()), 6));

        assertThat(new RedisChangeStore(new SharedDocument(network, key)).replace(FIRST, SECOND))
                .isFalse();
    }

    @Test
    void saysThatTheOutcomeOfAChangeIsNotKnown() {
        undisturbed.replace(Changes.NONE, FIRST);
        Network network = new Network();
        network.down = true;
        RedisChangeStore unknown = new RedisChangeStore(new SharedDocument(network, key));

        assertThatThrownBy(() -> unknown.replace(FIRST, SECOND))
                .isInstanceOf(ChangeStoreException.class)
                .hasMessageContaining("not known whether")
                .hasMessageContaining("revision 2-bb");
    }
}
