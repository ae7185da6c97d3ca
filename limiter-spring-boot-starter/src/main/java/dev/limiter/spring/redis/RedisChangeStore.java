package dev.limiter.spring.redis;

import dev.limiter.redis.server.SharedDocument;
import dev.limiter.redis.server.SharedDocument.Version;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.ChangesText;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Changes in Redis, for all instances of an application. Where Redis has lost the last changes, an instance that knows
 * them writes them again. Thread-safe; blocks for at most three seconds.
 */
public final class RedisChangeStore implements ChangeStore {

    private static final long TIMEOUT_MILLIS = 1_000;

    private final SharedDocument document;

    public RedisChangeStore(SharedDocument document) {
        this.document = document;
    }

    @Override
    public @Nullable Changes otherThan(Changes known) {
        Version other = answer(document.otherThan(line(known)));
        if (other != null && isLost(other, known)) {
            boolean written = answer(document.replace(other.revision(), version(known)));
            other = written ? null : answer(document.otherThan(line(known)));
        }
        return other == null ? null : read(other);
    }

    /** Whether Redis has what was there before the known changes: a replica may have missed the last ones. */
    private static boolean isLost(Version other, Changes known) {
        return other.revision().equals(SharedDocument.NONE)
                || known.before().stream().anyMatch(former -> other.revision().equals(former.toString()));
    }

    private static Changes read(Version version) {
        try {
            return ChangesText.read(Revision.parse(version.revision()), version.text());
        } catch (IllegalArgumentException unreadable) {
            throw ChangeStoreException.unreadable(
                    "The changes of rules in Redis cannot be read, and each instance has the last ones that it knows: "
                            + unreadable.getMessage()
                            + " Have the instance whose rules are right write its own there: POST"
                            + " to it, without the name of a rule, \"repair\": true.",
                    unreadable);
        }
    }

    @Override
    public boolean replace(Changes former, Changes next) {
        try {
            return answer(document.replace(line(former), version(next)));
        } catch (ChangeStoreException unanswered) {
            return settle(former, next, unanswered);
        }
    }

    /**
     * Finds out whether changes are written of which Redis did not say so. They may still be under way: what they would
     * replace gets another revision, so that they come too late.
     */
    private boolean settle(Changes former, Changes next, ChangeStoreException unanswered) {
        boolean tooLate;
        Version there;
        try {
            tooLate = answer(document.replace(line(former), version(former.renewed())));
            there = tooLate ? null : answer(document.otherThan(line(next)));
        } catch (ChangeStoreException unknown) {
            throw new ChangeStoreException(
                    "It is not known whether the change is in force: Redis, where it is shared, does not answer. It"
                            + " is, in"
                            + " all instances, if GET shows revision " + next.revision() + " or a later one when Redis"
                            + " answers again.",
                    unknown);
        }
        if (tooLate) {
            throw unanswered;
        }
        return there == null || read(there).before().contains(next.revision());
    }

    @Override
    public boolean repair(Changes next) {
        Version there = answer(document.otherThan(line(next)));
        if (there == null) {
            return false;
        }
        try {
            read(there);
            return false;
        } catch (ChangeStoreException unreadable) {
            return answer(document.replace(there.revision(), version(next)));
        }
    }

    @Override
    public String place() {
        return "redis";
    }

    private static String line(Changes changes) {
        return changes.revision().toString();
    }

    private static Version version(Changes changes) {
        return new Version(line(changes), ChangesText.write(changes));
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
