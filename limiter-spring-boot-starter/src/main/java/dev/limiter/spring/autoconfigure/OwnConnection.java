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
 * A dedicated connection for limits: the application's own may be busy, blocked or retrying for longer than a decision
 * may take. Connects in the background. Thread-safe.
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

    /** @param timeout the timeout of a decision; connecting may take at least half a second */
    public OwnConnection(ApplicationRedisConfiguration application, Duration timeout) {
        this.application = application;
        this.timeout = timeout.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : timeout;
    }

    /** Returns the address of the server or its nodes, without credentials. */
    public String address() {
        return application.address();
    }

    /** Starts connecting. */
    public void connect() {
        redis.connect();
    }

    /** Returns the server. Commands fail at once while it is not connected. */
    public Redis redis() {
        return redis;
    }

    private CompletionStage<Redis> connectInBackground() {
        // on a separate thread, because looking up host names or cluster nodes blocks
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

    /** Returns the resources of the application if it has any; these are never closed here. */
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
