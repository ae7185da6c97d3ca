package dev.limiter.spring.aop;

import dev.limiter.spring.decide.Verdict;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Runs a method, and releases what its call holds of concurrency limits when its work is done. */
final class ReleasingCall {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReleasingCall.class.getClassLoader());

    private ReleasingCall() {}

    static @Nullable Object proceed(MethodInvocation call, Verdict verdict) throws Throwable {
        if (!verdict.holds()) {
            return call.proceed();
        }
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable failure) {
            verdict.close();
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            return CompletedAfter.of(stage, call.getMethod().getReturnType(), (value, failure) -> verdict.close());
        }
        if (REACTOR && Reactive.isReactive(result)) {
            return Reactive.closing(result, verdict);
        }
        verdict.close();
        return result;
    }

    /** Apart, so that it is loaded only where there is Reactor. */
    private static final class Reactive {

        static boolean isReactive(@Nullable Object result) {
            return result instanceof Mono || result instanceof Flux;
        }

        static Object closing(Object result, Verdict verdict) {
            return result instanceof Mono<?> mono
                    ? mono.doFinally(signal -> verdict.close())
                    : ((Flux<?>) result).doFinally(signal -> verdict.close());
        }
    }
}
