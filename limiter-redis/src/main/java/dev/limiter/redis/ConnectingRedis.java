package dev.limiter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that may not be reachable yet. Until it is, requests fail at once, so no caller waits. Requests trigger an
 * attempt to connect in the background, at most once a second, until one succeeds. After that the client reconnects by
 * itself, unless it does not notice that replies have stopped ({@link #reconnect}). Thread-safe.
 */
public final class ConnectingRedis implements Redis {

    private static final long TRY_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<CompletionStage<? extends Redis>> connect;
    private final AtomicBoolean connecting = new AtomicBoolean();
    private volatile @Nullable Redis connected;
    private volatile @Nullable Throwable failure;
    private volatile long tried = System.nanoTime() - TRY_EVERY_NANOS;
    private volatile CompletableFuture<Void> attempt = CompletableFuture.completedFuture(null);
    private volatile boolean closed;

    /** Creates a server; {@code connect} starts connecting and does not block. */
    public ConnectingRedis(Supplier<CompletionStage<? extends Redis>> connect) {
        this.connect = connect;
    }

    /** Starts connecting, unless connected, already connecting, or tried less than a second ago. */
    public void connect() {
        if (connected == null) {
            reconnect();
        }
    }

    /** Starts a new connection, unless already connecting, or tried less than a second ago. */
    @Override
    public void reconnect() {
        boolean due = !closed && System.nanoTime() - tried >= TRY_EVERY_NANOS;
        if (!due || !connecting.compareAndSet(false, true)) {
            return;
        }
        tried = System.nanoTime();
        attempt = new CompletableFuture<>();
        try {
            var unused = connect.get().whenComplete(this::connected);
        } catch (RuntimeException e) {
            connected(null, e);
        }
    }

    private void connected(@Nullable Redis redis, @Nullable Throwable reason) {
        Redis before = connected;
        failure = reason instanceof CompletionException wrapped ? wrapped.getCause() : reason;
        if (redis != null) {
            connected = redis;
        }
        connecting.set(false);
        if (redis != null && before != null) {
            // closing may block on the thread that connects
            Thread closing = new Thread(before::close, "limiter-redis-close");
            closing.setDaemon(true);
            closing.start();
        }
        if (closed && redis != null) {
            redis.close();
        }
        attempt.complete(null);
    }

    /** Completes when the latest attempt has ended. */
    @Override
    public CompletionStage<?> connected() {
        return attempt;
    }

    @Override
    public boolean isClustered() {
        Redis redis = connected;
        return redis != null && redis.isClustered();
    }

    @Override
    public String node(int slot) {
        Redis redis = connected;
        return redis == null ? "" : redis.node(slot);
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
        Redis redis = connected;
        return redis == null ? notConnected() : redis.run(script, keys, arguments);
    }

    @Override
    public CompletionStage<?> answersRead(byte[] key) {
        Redis redis = connected;
        return redis == null ? CompletableFuture.completedFuture(null) : redis.answersRead(key);
    }

    private <T> CompletionStage<T> notConnected() {
        connect();
        Throwable reason = failure;
        return CompletableFuture.failedFuture(RedisErrors.notDone(
                reason == null
                        ? "Not connected to Redis yet"
                        : "Redis cannot be reached: " + RedisErrors.reason(reason),
                reason));
    }

    @Override
    public int slot(byte[] key) {
        Redis redis = connected;
        return redis == null ? 0 : redis.slot(key);
    }

    @Override
    public void close() {
        closed = true;
        Redis redis = connected;
        connected = null;
        if (redis != null) {
            redis.close();
        }
    }
}
