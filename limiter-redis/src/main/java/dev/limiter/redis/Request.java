package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.spi.ReturningFuture;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One request to {@code decide}, which completes with a result created from the reply. It may be cancelled. */
final class Request<T> extends ReturningFuture<T> {

    public final int algorithms;
    public final byte[][] states;
    private final byte[] argument;

    /** The cost for the server, in {@linkplain RemoteLimit#work units of one bucket state}. */
    public final int work;

    private static final Runnable NOTHING = () -> {};

    /**
     * How requests with equal charges of one permit are sent as one.
     *
     * @param argument returns the argument for a number of requests
     */
    public record Sharing(Charge charge, IntFunction<byte[]> argument) {}

    private final @Nullable Sharing sharing;

    private final BiFunction<ByteBuffer, Integer, T> made;
    private volatile Runnable lost = NOTHING;

    /**
     * Creates a request.
     *
     * @param algorithms the {@linkplain LuaAlgorithm#bit bits} of the algorithms that it needs
     * @param states the keys of its limits, all in one slot
     * @param argument the argument of the script
     * @param work the cost for the server, in {@linkplain RemoteLimit#work units of one bucket state}
     * @param sharing how equal requests share a reply; null if they do not
     * @param made creates the result from the reply and the position of this request among those that share it
     * @param unwanted receives the result if no caller waits for it
     */
    public Request(
            int algorithms,
            byte[][] states,
            byte[] argument,
            int work,
            @Nullable Sharing sharing,
            BiFunction<ByteBuffer, Integer, T> made,
            Consumer<T> unwanted) {
        super(unwanted);
        this.algorithms = algorithms;
        this.states = states;
        this.argument = argument;
        this.work = work;
        this.sharing = sharing;
        this.made = made;
    }

    /**
     * Sets an action to run once if there is no reply, even if no caller waits for one: the server may have executed
     * the request. After a reply it does not run; the permits of a reply that comes later are returned.
     */
    public void whenLost(Runnable lost) {
        this.lost = lost;
    }

    /** Decides in one step whether the reply is used or lost. */
    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean failed = super.completeExceptionally(failure);
        if (isCompletedExceptionally()) {
            takeLost().run();
        }
        return failed;
    }

    private synchronized Runnable takeLost() {
        Runnable taken = lost;
        lost = NOTHING;
        return taken;
    }

    /** Returns what requests that may be sent as one have in common, or null if this one is sent alone. */
    public @Nullable Object shared() {
        return sharing == null ? null : sharing.charge;
    }

    /** Returns the argument for {@code requests} requests that share a reply. */
    public byte[] argument(int requests) {
        return requests == 1 || sharing == null ? argument : sharing.argument.apply(requests);
    }

    /** Completes the request; {@code position} is its index among those that share the reply. */
    public void complete(ByteBuffer reply, int position) {
        try {
            hand(made.apply(reply, position));
            lost = NOTHING;
        } catch (RuntimeException e) {
            completeExceptionally(e);
        }
    }
}
