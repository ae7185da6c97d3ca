package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.spi.ReturningFuture;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One request to {@code decide}; completes with the result made of the answer. It may be cancelled. */
final class Request<T> extends ReturningFuture<T> {

    public final int algorithms;
    public final byte[][] states;
    private final byte[] argument;

    /** The work of the server for it, in {@linkplain RemoteLimit#work states of a bucket}. */
    public final int work;

    private static final Runnable NOTHING = () -> {};

    /**
     * Requests with equal charges of one permit are sent as one.
     *
     * @param argument the argument for so many requests
     */
    public record Sharing(Charge charge, IntFunction<byte[]> argument) {}

    private final @Nullable Sharing sharing;

    private final BiFunction<ByteBuffer, Integer, T> made;
    private volatile Runnable lost = NOTHING;

    /**
     * @param algorithms the {@linkplain LuaAlgorithm#bit bits} of those that it needs
     * @param states the keys of its limits, all in one slot
     * @param argument the request in the form of the script
     * @param work the work of the server for it, in {@linkplain RemoteLimit#work states of a bucket}
     * @param sharing how equal requests share an answer; null if they do not
     * @param made makes the result of the answer, given the position of this request among those that share it
     * @param unwanted told of the result if no caller waits for it any more
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
     * Has it told, once, if there is no answer, also if no caller waits for one any more: the server may have done
     * what was asked for. A request that was answered is not lost any more; an answer that comes later is given back.
     */
    public void whenLost(Runnable lost) {
        this.lost = lost;
    }

    /** The completion decides, in one step, whether the answer is taken or lost. */
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

    /** What requests that may be sent as one have in common; null if this one is sent alone. */
    public @Nullable Object shared() {
        return sharing == null ? null : sharing.charge;
    }

    /** The argument for so many requests that share an answer. */
    public byte[] argument(int requests) {
        return requests == 1 || sharing == null ? argument : sharing.argument.apply(requests);
    }

    /** {@code position}: of this request among those that share the answer, from 0. */
    public void answer(ByteBuffer answer, int position) {
        try {
            hand(made.apply(answer, position));
            lost = NOTHING;
        } catch (RuntimeException e) {
            completeExceptionally(e);
        }
    }
}
