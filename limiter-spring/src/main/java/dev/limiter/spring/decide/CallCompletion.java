package dev.limiter.spring.decide;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The end of a call that was let through: held permits are released, and open charges settled. The caller gets to know
 * afterwards, and can count on what was returned; the held permits of a publisher alone are released at last, when its
 * source has ended or has been cancelled.
 *
 * @param answerFollows whether there is a request, whose answer decides too
 * @param releases whether permits are held until the end of the call
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

    /** The end of work in code, which no response follows. */
    public static CallCompletion inCode(Verdict verdict) {
        return new CallCompletion(verdict, false, true);
    }

    /**
     * Runs the work. A copy takes the place of a stage or publisher that it returns, and ends with the call.
     *
     * @param type that the result has to have; null for that of what the work returns
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

    /** Apart, so that it is loaded only where there is Reactor. */
    private static final class Reactive {

        static boolean isReactive(Object result) {
            return result instanceof Mono || result instanceof Flux;
        }

        /** Of many elements none is the result; a subscriber with enough of them cancels. */
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
