package dev.limiter.spring.redis;

import dev.limiter.redis.server.SharedDocument;
import dev.limiter.redis.server.SharedDocument.Version;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.ChangesText;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Changes in Redis, for all instances of an application. Where Redis has lost them, whoever knows the last ones writes them
 * again. Thread-safe; blocks for at most two seconds.
 */
public final class SharedChanges implements ChangeStore {

    private static final long TIMEOUT_MILLIS = 1_000;

    private final SharedDocument document;

    public SharedChanges(SharedDocument document) {
        this.document = document;
    }

    @Override
    public @Nullable Changes newerThan(Changes known) {
        Version other = answer(document.otherThan(known.version()));
        if (other != null && other.number() == 0) {
            boolean written = answer(document.replace(0, version(known)));
            other = written ? null : answer(document.otherThan(known.version()));
        }
        try {
            return other == null ? null : ChangesText.read(other.number(), other.text());
        } catch (IllegalArgumentException unreadable) {
            throw new ChangeStoreException("The changes of rules in Redis cannot be read: " + unreadable, unreadable);
        }
    }

    @Override
    public boolean replace(Changes next) {
        return answer(document.replace(next.version() - 1, version(next)));
    }

    private static Version version(Changes changes) {
        return new Version(changes.version(), ChangesText.write(changes));
    }

    private static <T extends @Nullable Object> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw unavailable(failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            throw unavailable(late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable(interrupted);
        }
    }

    private static ChangeStoreException unavailable(Throwable cause) {
        return new ChangeStoreException(
                "Redis, where changes of rules are shared, does not answer, and rules stay as they are: " + cause,
                cause);
    }
}
