package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage that several instances share and that may fail, as {@link FailoverRateLimiterStorage} needs it. Its states
 * may be on several servers (nodes), of which one may fail alone. They go by the name of the rule, the name of the limit
 * and the key.
 *
 * <p>Thread-safe. {@link #decide} and {@link #peek} block for no longer than the {@linkplain #timeout time-out},
 * nothing else here does. A failure is whatever {@link #failure} makes a {@link StorageUnavailableException} of; an
 * {@link IllegalArgumentException} stays one.
 */
public interface RemoteStorage extends RateLimiterStorage {

    @Override
    default boolean isRemote() {
        return true;
    }

    /** The name that health and metrics have for it: a short word in lower case. */
    String name();

    /**
     * Has the storage decide, without a time limit; does not block. A cancelled future gives back a later grant; one
     * that is not complete after a hundred time-outs is cancelled. A failure completes the future, and is not thrown.
     *
     * @param charges merged: one for each rule and key
     */
    CompletableFuture<Decision> ask(List<Charge> charges);

    /**
     * Decides without the storage, as far as its answers allow that, such as by a permit that was taken
     * ahead. Default: never.
     *
     * @param charges merged: one for each rule and key
     * @return null if the storage has to be {@linkplain #ask asked}
     */
    default @Nullable Decision known(List<Charge> charges) {
        return null;
    }

    /**
     * The rejection of the same request, if the last reply of the storage rejects it still: for the time in which the
     * storage cannot be asked. Default: none.
     *
     * @param charges merged: one for each rule and key
     */
    default @Nullable Decision rejected(List<Charge> charges) {
        return null;
    }

    /** {@linkplain #ask Asks} if the answer is not {@linkplain #known known}, for no longer than the time-out. */
    @Override
    default Decision decide(List<Charge> charges) {
        List<Charge> merged = Charge.merged(charges);
        Decision known = known(merged);
        return known != null ? known : new Timeouts(this::failure).join(ask(merged), timeout());
    }

    /** {@link #decide} without blocking. A grant after the time-out is given back. */
    @Override
    default CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        List<Charge> merged = Charge.merged(charges);
        Decision known = known(merged);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return Timeouts.orGiveBack(new Timeouts(this::failure).within(ask(merged), Budget.of(timeout())));
    }

    /** Has the storage look, for no longer than the time-out, without blocking. */
    @Override
    CompletableFuture<Decision> peekAsync(Rule rule, String key);

    /** {@link #peekAsync}, blocking. */
    @Override
    default Decision peek(Rule rule, String key) {
        return new Timeouts(this::failure).join(peekAsync(rule, key), timeout());
    }

    /**
     * Completes when the reader thread of the node has run; every answer received by now is then read. Slow completion
     * means a slow JVM, not a failure of the storage. Called when an answer is late. Default: at once, for a storage
     * whose threads are not known.
     */
    default CompletionStage<?> answersRead(String node) {
        return CompletableFuture.completedFuture(null);
    }

    /** How long one decision may take, unless this JVM is too slow to read the answer. */
    Duration timeout();

    /**
     * The exception to throw for what a call has failed with, wrapped by futures or not. Default: {@link
     * StorageUnavailableException} and {@link IllegalArgumentException} as they are, and a new {@link
     * StorageUnavailableException} for all others.
     */
    default RuntimeException failure(Throwable failure) {
        return StorageUnavailableException.of(failure);
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

    /**
     * Finds out whether a node works, by doing what a decision does; complete when it has answered. A node that
     * fails it for want of a right ({@link StorageUnavailableException.Reason#LACKS_RIGHT}) works.
     */
    CompletionStage<?> probe(String node);

    /**
     * Connects anew in the background, since probes of the only node have failed for a while: another one may have
     * taken over. Default: does nothing.
     */
    default void reconnect() {}

    /** Complete once this is connected, or has failed to. Default: it is. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /** Has a listener told of rights that were missing where no caller waited for an answer. Default: never. */
    default void onMissingRight(Consumer<@Nullable String> listener) {}

    /** Begins to count instances. Called once, by what divides limits among them. */
    Instances instances();

    /** How many instances share the storage, as far as this one knows. Thread-safe. */
    interface Instances {

        /** 1 until it is known; the last known number while the storage cannot be asked. */
        int known();

        /**
         * Has this instance counted, if that is due. Called once a second or so, also
         * while the storage is not asked; does not block.
         */
        void sayHello();

        /** Has this instance counted now; complete when the number is known. Default: {@link #sayHello}. */
        default CompletionStage<?> count() {
            sayHello();
            return CompletableFuture.completedFuture(null);
        }

        /** Has this instance counted no longer. Blocks for so long at most; gives up where that fails. */
        void sayGoodbye(Duration atMost);
    }
}
