package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage that several instances share and that may fail, as {@code FailoverRateLimiterStorage} needs it. Its states may
 * be on several servers (nodes), of which one may fail alone.
 *
 * <p>Thread-safe. {@link #decide} and {@link #peek} block for no longer than the {@linkplain #timeout time-out}, nothing
 * else here does. A failure is whatever {@link #errors()} makes a {@link StorageUnavailableException} of; an {@link
 * IllegalArgumentException} stays one.
 */
public interface RemoteStorage extends RateLimiterStorage {

    @Override
    default boolean isRemote() {
        return true;
    }

    /**
     * Decides charges, however long that takes; complete at once if the storage need not be asked. What is granted after the
     * future was cancelled is given back.
     *
     * @param charges merged: one for each rule and key
     */
    CompletableFuture<Decision> ask(List<Charge> charges);

    /** How long one decision may take. */
    Duration timeout();

    /** What calls of this storage fail with. Default: {@link StorageErrors#PLAIN}. */
    default StorageErrors errors() {
        return StorageErrors.PLAIN;
    }

    /** Whether there are several nodes. Default: there is one. */
    default boolean isClustered() {
        return false;
    }

    /** The name of the node that decides on a charge; empty if it is not known, or the only one. Default: empty. */
    default String node(Charge charge) {
        return "";
    }

    /** Whether a node with that name still decides on anything. Default: it does. */
    default boolean hasNode(String node) {
        return true;
    }

    /** Finds out whether a node works, by doing what a decision does; complete when it has answered. */
    CompletionStage<?> probe(String node);

    /**
     * Connects anew in the background, since probes of the only node have failed for a while: another one may have taken
     * over. Default: does nothing.
     */
    default void reconnect() {}

    /** Complete once this is connected, or has failed to. Default: it is. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /** Has a listener told of each answer, in their order and before its decision is, and of what is given back. */
    void onStanding(StandingListener listener);

    /** Has a listener told of rights that were missing where no caller waited for an answer. Default: never. */
    default void onMissingRight(Consumer<@Nullable String> listener) {}

    /** Begins to count instances. Called once, by what divides limits among them. */
    InstanceCount instances();
}
