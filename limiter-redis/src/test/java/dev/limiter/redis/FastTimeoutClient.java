package dev.limiter.redis;

import dev.limiter.testkit.RedisSentinel;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A client that waits two seconds for a reply, and reconnects every tenth of a second. */
final class FastTimeoutClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ClientResources resources = DefaultClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(100)))
            .build();
    private final RedisURI uri;
    private final RedisClient client;

    private FastTimeoutClient(RedisURI uri) {
        this.uri = uri;
        client = RedisClient.create(resources, uri);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder().connectTimeout(PATIENCE).build())
                .timeoutOptions(TimeoutOptions.enabled(PATIENCE))
                .build());
    }

    static FastTimeoutClient of(RedisServer server) {
        return of(server.port());
    }

    static FastTimeoutClient of(int port) {
        return new FastTimeoutClient(RedisURI.create(RedisServer.HOST, port));
    }

    /** Connects to the current master. */
    static FastTimeoutClient of(RedisSentinel sentinel) {
        return new FastTimeoutClient(RedisURI.Builder.sentinel(RedisServer.HOST, sentinel.port(), RedisSentinel.NAME)
                .withTimeout(PATIENCE)
                .build());
    }

    /** Returns the server over a new connection. */
    Redis redis() {
        return new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
    }

    CompletionStage<Redis> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, uri).thenApply(LettuceRedis::new);
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
