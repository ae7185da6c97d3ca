package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A storage that several instances share and that may fail, for {@link FailoverRateLimiterStorage}. Its states may be on
 * several servers (nodes), and each node may fail alone. States are identified by the names of the rule and the limit,
 * and by the key.
 *
 * <p>Thread-safe. Only {@link #decide} and {@link #peek} block, for no longer than the {@linkplain #timeout time-out}.
 */
public interface RemoteStorage extends RateLimiterStorage {

    @Override
    default boolean isRemote() {
        return true;
    }

    /** The name for health and metrics: a short word in lower case. */
    String name();

    /**
     * Decides without a time limit and without blocking. If the future is cancelled, a later grant is given back. A
     * failure completes the future and is not thrown.
     *
     * @param charges merged: one for each rule and key
     */
    CompletableFuture<Decision> ask(List<Charge> charges);

    /**
     * A decision without a call, such as by a permit that was taken ahead; null, the default, if a call is needed.
     *
     * @param charges merged: one for each rule and key
     */
    default @Nullable Decision known(List<Charge> charges) {
        return null;
    }

    /**
     * The rejection of the same request by an earlier reply, if it still holds; null, the default, if there is none.
     * Used while the storage is down.
     *
     * @param charges merged: one for each rule and key
     */
    default @Nullable Decision rejected(List<Charge> charges) {
        return null;
    }

    /** {@link #decideAsync}, blocking. */
    @Override
    default Decision decide(List<Charge> charges) {
        List<Charge> merged = PermitArithmetic.merged(charges);
        Decision known = known(merged);
        return known != null ? known : new Timeouts(this::failure).join(ask(merged), timeout());
    }

    /** Decides within the time-out. A grant that comes later is given back. */
    @Override
    default CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        List<Charge> merged = PermitArithmetic.merged(charges);
        Decision known = known(merged);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return Timeouts.orGiveBack(new Timeouts(this::failure).within(ask(merged), Budget.of(timeout())));
    }

    /** Peeks within the time-out. */
    @Override
    CompletableFuture<Decision> peekAsync(List<Charge> charges);

    /** {@link #peekAsync}, blocking. */
    @Override
    default Decision peek(List<Charge> charges) {
        return new Timeouts(this::failure).join(peekAsync(charges), timeout());
    }

    /**
     * Completes when the thread that reads the replies of a node has run. If that is late, this JVM is slow, and the
     * storage has not failed. Called when a reply is late. Default: completes at once.
     */
    default CompletionStage<?> answersRead(String node) {
        return CompletableFuture.completedFuture(null);
    }

    /** The budget of one decision, over all its calls. */
    Duration timeout();

    /**
     * The exception to throw for the failure of a call. Default: {@link StorageUnavailableException} and {@link
     * IllegalArgumentException} (a mistake in a rule) as they are, and a new {@link StorageUnavailableException} for all
     * others.
     */
    default RuntimeException failure(Throwable failure) {
        return StorageUnavailableException.of(failure);
    }

    /** The name of the node that decides on a charge. Default: empty, for a storage with one node. */
    default String node(Charge charge) {
        return "";
    }

    /** Returns whether a node still exists. Default: true. */
    default boolean hasNode(String node) {
        return true;
    }

    /**
     * Checks whether a node works, by a call like that of a decision. A missing right ({@link
     * StorageUnavailableException.Reason#LACKS_RIGHT}) is no failure of the node.
     */
    CompletionStage<?> probe(String node);

    /**
     * Connects again in the background, after several probes of the only node have failed: another server may have
     * taken over. Default: does nothing.
     */
    default void reconnect() {}

    /** Completes when the first attempt to connect has succeeded or failed. Default: at once. */
    default CompletionStage<?> connected() {
        return CompletableFuture.completedFuture(null);
    }

    /** Registers a listener for missing rights of background calls, with the message. Default: does nothing. */
    default void onMissingRight(Consumer<@Nullable String> listener) {}

    /** Begins to count instances. Called once. */
    Instances instances();

    /** Counts the instances that share the storage. Thread-safe. */
    interface Instances {

        /** The number of instances: 1 until it is known, the last known number while the storage is down. */
        int known();

        /**
         * Counts this instance if that is due. Called about once a second, also while the storage is down. Does not
         * block.
         */
        void sayHello();

        /** Counts this instance now; completes when the number is known. Default: {@link #sayHello}. */
        default CompletionStage<?> count() {
            sayHello();
            return CompletableFuture.completedFuture(null);
        }

        /** Stops counting this instance. Blocks for that time at most; ignores failures. */
        void sayGoodbye(Duration atMost);
    }
}
