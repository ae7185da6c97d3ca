package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A storage that several instances share and that may fail, for {@link FailoverRateLimiterStorage}. Its states may be
 * on several servers (nodes), each of which may fail independently. States are identified by the name of the rule, the
 * name of the limit, and the key.
 *
 * <p>Thread-safe. Only {@link #decide} and {@link #peek} block, for at most the {@linkplain #timeout timeout}.
 */
public interface RemoteStorage extends RateLimiterStorage {

    @Override
    default boolean isRemote() {
        return true;
    }

    /** Returns the name for health and metrics: a short word in lower case. */
    String name();

    /**
     * Decides without a time limit and without blocking. If the future is cancelled, a later grant is returned. A
     * failure completes the future and is not thrown.
     *
     * @param charges merged: one per rule and key
     */
    CompletableFuture<Decision> ask(List<Charge> charges);

    /**
     * Returns a decision that needs no call, for example because the permit was leased; null (the default) if a call is
     * needed.
     *
     * @param charges merged: one per rule and key
     */
    default @Nullable Decision known(List<Charge> charges) {
        return null;
    }

    /**
     * Returns the rejection of the same request by an earlier reply, if it is still valid; null (the default)
     * otherwise. Used while the storage is down.
     *
     * @param charges merged: one per rule and key
     */
    default @Nullable Decision rejected(List<Charge> charges) {
        return null;
    }

    /** Does the same as {@link #decideAsync}, but blocks. */
    @Override
    default Decision decide(List<Charge> charges) {
        List<Charge> merged = PermitArithmetic.merged(charges);
        Decision known = known(merged);
        return known != null ? known : new Timeouts(this::failure).join(ask(merged), timeout());
    }

    /** Decides within the timeout. A grant that comes later is returned. */
    @Override
    default CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        List<Charge> merged = PermitArithmetic.merged(charges);
        Decision known = known(merged);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return Timeouts.orGiveBack(new Timeouts(this::failure).within(ask(merged), Budget.of(timeout())));
    }

    /** Peeks within the timeout. */
    @Override
    CompletableFuture<Decision> peekAsync(List<Charge> charges);

    /** Does the same as {@link #peekAsync}, but blocks. */
    @Override
    default Decision peek(List<Charge> charges) {
        return new Timeouts(this::failure).join(peekAsync(charges), timeout());
    }

    /**
     * Completes when the thread that reads the replies of a node has run. If that takes long, this JVM is slow, and the
     * storage has not failed. Called when a reply is late. By default, completes at once.
     */
    default CompletionStage<?> answersRead(String node) {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the time budget of one decision, including all its calls. */
    Duration timeout();

    /**
     * Returns the exception to throw for a failed call. By default, {@link StorageUnavailableException} and {@link
     * IllegalArgumentException} (a mistake in a rule) are returned as they are; others are wrapped in a {@link
     * StorageUnavailableException}.
     */
    default RuntimeException failure(Throwable failure) {
        return StorageUnavailableException.of(failure);
    }

    /**
     * Returns the name of the node that decides on a charge. Defaults to an empty name, for a storage with one node.
     */
    default String node(Charge charge) {
        return "";
    }

    /** Returns whether a node still exists. Defaults to true. */
    default boolean hasNode(String node) {
        return true;
    }

    /**
     * Checks whether a node works, with a call like that of a decision. A missing permission ({@link
     * StorageUnavailableException.Reason#LACKS_RIGHT}) is not a failure of the node.
     */
    CompletionStage<?> probe(String node);

    /**
     * Reconnects in the background, after several probes of the only node have failed and another server may have taken
     * over. Does nothing by default.
     */
    default void reconnect() {}

    /** Completes when the first attempt to connect has succeeded or failed. By default, completes at once. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /** Starts counting instances. Called once. */
    Instances instances();

    /** Counts the instances that share the storage. Thread-safe. */
    interface Instances {

        /**
         * Returns the number of instances: 1 until it is known, and the last known number while the storage is down.
         */
        int known();

        /**
         * Registers this instance if that is due. Called about once a second, also while the storage is down. Does not
         * block.
         */
        void sayHello();

        /** Counts the instances now; completes when the number is known. By default, calls {@link #sayHello}. */
        default CompletionStage<?> count() {
            sayHello();
            return CompletableFuture.completedFuture(null);
        }

        /** Unregisters this instance. Blocks for up to {@code atMost}; ignores failures. */
        void sayGoodbye(Duration atMost);
    }
}
