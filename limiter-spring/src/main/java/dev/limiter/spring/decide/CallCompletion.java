package dev.limiter.spring.aop;

import dev.limiter.spring.decide.Verdict;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
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
record CallCompletion(Verdict verdict, boolean answerFollows, boolean releases) {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", CallCompletion.class.getClassLoader());

    /** Runs the method. A copy takes the place of a stage or publisher that it returns, and ends with the call. */
    @Nullable
    Object proceed(MethodInvocation call) throws Throwable {
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable failure) {
            over(null, failure);
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            return CompletedAfter.of(
                    stage, call.getMethod().getReturnType(), (value, failure) -> over(value, cause(failure)));
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
