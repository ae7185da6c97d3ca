package dev.limiter.spring.aop;

import dev.limiter.spring.decide.Verdict;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A call that may turn out to be none that is charged for. Settled when it is over, before the caller gets to know: the
 * caller can count on the returned permits.
 *
 * @param answerFollows whether there is a request, whose answer decides too
 */
record OpenCall(Verdict verdict, boolean answerFollows) {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", OpenCall.class.getClassLoader());

    /** The method itself. */
    interface Body {
        @Nullable
        Object run() throws Throwable;
    }

    /** {@code type}: what the method has to return. */
    @Nullable
    Object run(Body body, Class<?> type) throws Throwable {
        Object result;
        try {
            result = body.run();
        } catch (Throwable failure) {
            over(null, failure);
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            return CompletedAfter.of(stage, type, (value, failure) -> over(value, cause(failure)));
        }
        if (REACTOR && result != null && Reactive.isReactive(result)) {
            return Reactive.settling(result, this);
        }
        over(result, null);
        return result;
    }

    private void over(@Nullable Object result, @Nullable Throwable failure) {
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
        static Object settling(Object result, OpenCall call) {
            return result instanceof Mono<?> mono
                    ? mono.doOnSuccess(value -> call.over(value, null))
                            .doOnError(failure -> call.over(null, failure))
                            .doOnCancel(() -> call.over(null, new CancellationException()))
                    : ((Flux<?>) result)
                            .doOnComplete(() -> call.over(null, null))
                            .doOnError(failure -> call.over(null, failure))
                            .doOnCancel(() -> call.over(null, null));
        }
    }
}
