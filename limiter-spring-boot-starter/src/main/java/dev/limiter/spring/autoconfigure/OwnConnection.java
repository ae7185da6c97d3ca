package dev.limiter.spring.autoconfigure;

import dev.limiter.redis.ConnectingRedis;
import dev.limiter.redis.Redis;
import dev.limiter.spring.operate.DaemonThreads;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * A connection to the application's Redis that is for limits alone: the application's own may be busy, blocked or
 * retrying for longer than a decision may take. Connects in the background. Thread-safe.
 */
final class OwnConnection implements AutoCloseable {

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(500);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(500);
    private static final int OWN_THREADS = 2;

    private final ApplicationRedisConfiguration application;
    private final Duration timeout;
    private final ConnectingRedis redis = new ConnectingRedis(this::connectInBackground);

    private @Nullable OwnConnectionFactory factory;
    private @Nullable ClientResources ownResources;
    private boolean closed;

    /** {@code timeout}: of a decision; connecting may take at least half a second. */
    public OwnConnection(ApplicationRedisConfiguration application, Duration timeout) {
        this.application = application;
        this.timeout = timeout.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : timeout;
    }

    /** The address of the server, or those of the nodes, without credentials. */
    public String address() {
        return application.address();
    }

    /** Begins to connect. */
    public void connect() {
        redis.connect();
    }

    /** The server, which fails at once while it is not connected. */
    public Redis redis() {
        return redis;
    }

    private CompletionStage<Redis> connectInBackground() {
        // a thread of its own: looking up names, or the nodes of a cluster, blocks
        DaemonThreads threads = new DaemonThreads("limiter-redis-connect");
        return CompletableFuture.supplyAsync(
                () -> factory().connect(), task -> threads.newThread(task).start());
    }

    private synchronized OwnConnectionFactory factory() {
        if (closed) {
            throw new IllegalStateException("Closed");
        }
        if (factory == null) {
            RedisConfiguration server = application.server();
            OwnConnectionFactory created = new OwnConnectionFactory(
                    server,
                    new OwnClientConfiguration(application.client(), resources(), timeout)
                            .create(server instanceof RedisClusterConfiguration));
            created.afterPropertiesSet();
            created.start();
            factory = created;
        }
        return factory;
    }

    /** Those of the application are shared, and not closed here. */
    private ClientResources resources() {
        ClientResources given = application.client().getClientResources().orElse(null);
        Delay delay = Delay.constant(RECONNECT_DELAY);
        if (given != null) {
            return given.mutate().reconnectDelay(delay).build();
        }
        ownResources = ClientResources.builder()
                .ioThreadPoolSize(OWN_THREADS)
                .computationThreadPoolSize(OWN_THREADS)
                .reconnectDelay(delay)
                .build();
        return ownResources;
    }

    @Override
    public synchronized void close() {
        closed = true;
        redis.close();
        if (factory != null) {
            factory.destroy();
        }
        if (ownResources != null) {
            ownResources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
        }
    }
}
