package dev.limiter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server for background commands that reports missing permissions, because no decision fails due to them.
 * Thread-safe.
 */
final class RightsReportingRedis implements Redis {

    private final Redis redis;
    private volatile Consumer<@Nullable String> missingRight = message -> {};

    RightsReportingRedis(Redis redis) {
        this.redis = redis;
    }

    void onMissingRight(Consumer<@Nullable String> listener) {
        missingRight = listener;
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
        return call(script, keys, arguments).whenComplete((reply, failure) -> {
            if (failure != null && RedisErrors.isOfRights(failure)) {
                missingRight.accept(RedisErrors.of(failure).getMessage());
            }
        });
    }

    private CompletionStage<byte[]> call(Script script, byte[][] keys, byte[]... arguments) {
        try {
            return redis.run(script, keys, arguments);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public int slot(byte[] key) {
        return redis.slot(key);
    }

    @Override
    public boolean isClustered() {
        return redis.isClustered();
    }

    @Override
    public String node(int slot) {
        return redis.node(slot);
    }

    @Override
    public void close() {
        redis.close();
    }
}
