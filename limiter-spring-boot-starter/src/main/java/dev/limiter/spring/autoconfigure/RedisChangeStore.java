package dev.limiter.spring.autoconfigure;

import dev.limiter.redis.SharedDocument;
import dev.limiter.redis.SharedDocument.Version;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Stores changes in Redis for all instances. If Redis loses them, an instance stores its copy again. Thread-safe;
 * blocks for a few seconds at most.
 */
final class RedisChangeStore implements ChangeStore {

    private static final long TIMEOUT_MILLIS = 1_000;
    private static final int DIGITS = 8;

    private final SharedDocument document;

    /** The first line of the last document that was read or written, which is unique. */
    private String line = SharedDocument.NONE;

    public RedisChangeStore(SharedDocument document) {
        this.document = document;
    }

    @Override
    public synchronized @Nullable Changes load(Changes known) {
        Version stored = reply(
                document.otherThan(line),
                "Redis, which stores the changes of rules, does not respond; rules stay as they are.");
        if (stored == null) {
            return null;
        }
        if (stored.revision().equals(SharedDocument.NONE)) {
            line = SharedDocument.NONE;
            return save(known) ? null : load(known);
        }
        try {
            Changes read = ChangesText.read(stored.text());
            line = stored.revision();
            return read;
        } catch (IllegalArgumentException unreadable) {
            throw new ChangeStoreException(
                    "The changes of rules in Redis cannot be read; each instance keeps its last known ones."
                            + " Delete the key …changes to let an instance store them again: "
                            + unreadable.getMessage(),
                    unreadable);
        }
    }

    @Override
    public synchronized boolean save(Changes next) {
        String revision = next.version() + "-" + UUID.randomUUID().toString().substring(0, DIGITS);
        Boolean saved = reply(
                document.replace(line, new Version(revision, ChangesText.write(next))),
                "Redis did not respond: the change may or may not take effect. Check with GET before you repeat it.");
        line = saved ? revision : line;
        return saved;
    }

    @Override
    public String place() {
        return "redis";
    }

    private static <T extends @Nullable Object> T reply(CompletionStage<T> stage, String otherwise) {
        try {
            return stage.toCompletableFuture().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new ChangeStoreException(otherwise, failed.getCause());
        } catch (TimeoutException late) {
            throw new ChangeStoreException(otherwise, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ChangeStoreException(otherwise, interrupted);
        }
    }
}
