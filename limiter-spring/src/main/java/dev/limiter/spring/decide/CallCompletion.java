package dev.limiter.spring.decide;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Completes a permitted call: releases held permits and settles open charges. That happens before the caller sees the
 * result. Only the permits that a publisher holds are released later, when its source has terminated or was cancelled.
 *
 * @param answerFollows true if the call is part of a request, so that its response also matters
 * @param releases true if permits are held until the end of the call
 */
public record CallCompletion(Verdict verdict, boolean answerFollows, boolean releases) {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", CallCompletion.class.getClassLoader());

    /** The work of a call. */
    @FunctionalInterface
    public interface Work<X extends Throwable> {
        @Nullable
        Object run() throws X;
    }

    /** Returns the completion of work in code, without a response. */
    public static CallCompletion inCode(Verdict verdict) {
        return new CallCompletion(verdict, false, true);
    }

    /**
     * Runs the work. Replaces a returned stage or publisher by a copy that completes with the call.
     *
     * @param type the type of the result; null for the type that the work returns
     */
    public <X extends Throwable> @Nullable Object proceed(Work<X> work, @Nullable Class<?> type) throws X {
        Object result;
        try {
            result = work.run();
        } catch (Throwable failure) {
            over(null, failure);
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            Class<?> wanted = type == null ? stage.getClass() : type;
            return CompletedAfter.of(stage, wanted, (value, failure) -> over(value, cause(failure)));
        }
        if (REACTOR && result != null && Reactive.isReactive(result)) {
            return Reactive.completing(result, this);
        }
        over(result, null);
        return result;
    }

    private void over(@Nullable Object result, @Nullable Throwable failure) {
        try {
            release();
        } finally {
            settle(result, failure);
        }
    }

    private void release() {
        if (releases) {
            verdict.close();
        }
    }

    private void settle(@Nullable Object result, @Nullable Throwable failure) {
        verdict.completed(result, failure, answerFollows);
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** A class of its own, so that it is loaded only with Reactor. */
    private static final class Reactive {

        static boolean isReactive(Object result) {
            return result instanceof Mono || result instanceof Flux;
        }

        /**
         * Returns a copy of a publisher. The elements of a Flux are not its result. Cancelling a Flux counts as
         * success.
         */
        static Object completing(Object result, CallCompletion call) {
            return result instanceof Mono<?> mono
                    ? mono.doFinally(signal -> call.release())
                            .doOnSuccess(value -> call.settle(value, null))
                            .doOnError(failure -> call.settle(null, failure))
                            .doOnCancel(() -> call.settle(null, new CancellationException()))
                    : ((Flux<?>) result)
                            .doFinally(signal -> call.release())
                            .doOnComplete(() -> call.settle(null, null))
                            .doOnError(failure -> call.settle(null, failure))
                            .doOnCancel(() -> call.settle(null, null));
        }
    }
}
