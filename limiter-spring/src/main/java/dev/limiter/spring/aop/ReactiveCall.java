package dev.limiter.spring.aop;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.decide.ReactiveVerdict;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.Verdict;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A call of a method that returns a publisher. Each subscription is decided, also those of a retry or a repeat, and takes
 * nothing if it is cancelled while it waits. Permits of concurrency limits are held until the last signal or the
 * cancellation. Never blocks.
 */
final class ReactiveCall {

    private static final ReactiveAdapterRegistry ADAPTERS = ReactiveAdapterRegistry.getSharedInstance();

    private final RateLimiterMethodInterceptor limits;
    private final MethodInvocation call;
    private final LimitedMethod method;
    private final Class<?> targetClass;

    ReactiveCall(
            RateLimiterMethodInterceptor limits, MethodInvocation call, LimitedMethod method, Class<?> targetClass) {
        this.limits = limits;
        this.call = call;
        this.method = method;
        this.targetClass = targetClass;
    }

    /** Returns whether the method returns a publisher. Not a future: its work has begun when it is returned. */
    static boolean isReactive(Method method) {
        return adapter(method) != null;
    }

    private static @Nullable ReactiveAdapter adapter(Method method) {
        ReactiveAdapter adapter = ADAPTERS.getAdapter(
                KotlinDetector.isSuspendingFunction(method) ? publisher(method) : method.getReturnType());
        return adapter != null && adapter.getDescriptor().isDeferred() ? adapter : null;
    }

    /** Returns what Spring makes of the result of a suspending function. */
    private static Class<?> publisher(Method suspending) {
        Class<?> result = new MethodParameter(suspending, -1).getParameterType();
        ReactiveAdapter adapter = ADAPTERS.getAdapter(result);
        return adapter != null && adapter.isMultiValue() ? Flux.class : Mono.class;
    }

    /** {@code bound}: the request of the calling thread, unless the subscriber's context has another one. */
    Object limited(@Nullable RequestDecisions bound) {
        ReactiveAdapter adapter = Objects.requireNonNull(adapter(call.getMethod()));
        if (adapter.isMultiValue()) {
            return adapter.fromPublisher(Flux.deferContextual(context -> {
                Subscription subscription = new Subscription(context.getOrDefault(RequestDecisions.class, bound));
                return Flux.usingWhen(
                        subscription.verdict(),
                        verdict -> subscription.settling(Flux.from(subscription.work(verdict)), verdict),
                        subscription::release);
            }));
        }
        return adapter.fromPublisher(Mono.deferContextual(context -> {
            Subscription subscription = new Subscription(context.getOrDefault(RequestDecisions.class, bound));
            return Mono.usingWhen(
                    subscription.verdict(),
                    verdict -> subscription.settling(Mono.from(subscription.work(verdict)), verdict),
                    subscription::release);
        }));
    }

    /** One subscription, which is one decision and one run of the method. */
    private final class Subscription {

        private final @Nullable RequestDecisions request;
        private final boolean handler;

        Subscription(@Nullable RequestDecisions request) {
            this.request = request;
            this.handler = request != null && request.isHandler(method.method(), targetClass);
        }

        Mono<Verdict> verdict() {
            return new ReactiveVerdict(
                    () -> limits.decideLater(call, method, request, handler), Schedulers.parallel()::schedule);
        }

        Publisher<Object> work(Verdict verdict) {
            if (request != null && handler) {
                request.add(verdict);
            } else if (request != null) {
                request.settleWithAnswer(verdict);
            }
            try {
                return publisher(verdict.permitted() ? proceed() : fallback(verdict));
            } catch (Throwable failure) {
                return Mono.error(failure);
            }
        }

        /** A copy for each subscription, so that other advice also runs for each. */
        private @Nullable Object proceed() throws Throwable {
            return call instanceof ProxyMethodInvocation proxied
                    ? proxied.invocableClone().proceed()
                    : call.proceed();
        }

        private @Nullable Object fallback(Verdict verdict) throws Throwable {
            RateLimitExceededException rejection = verdict.rejection();
            Fallback fallback = method.fallback(verdict.rejectingRule());
            if (fallback == null) {
                throw rejection;
            }
            return fallback.call(call.getThis(), call.getMethod(), call.getArguments(), rejection);
        }

        /** A fallback of a suspending function may return a plain result. */
        @SuppressWarnings("unchecked")
        private static Publisher<Object> publisher(@Nullable Object result) {
            ReactiveAdapter adapter = result instanceof Publisher ? null : ADAPTERS.getAdapter(null, result);
            if (adapter != null) {
                return adapter.toPublisher(result);
            }
            return result instanceof Publisher ? (Publisher<Object>) result : Mono.justOrEmpty(result);
        }

        Mono<Object> settling(Mono<Object> work, Verdict verdict) {
            return verdict.isOpen()
                    ? work.doOnSuccess(value -> settle(verdict, value, null))
                            .doOnError(failure -> settle(verdict, null, failure))
                            .doOnCancel(() -> settle(verdict, null, new CancellationException()))
                    : work;
        }

        /** Of many elements, none is the result; a subscriber that has enough of them cancels. */
        Flux<Object> settling(Flux<Object> work, Verdict verdict) {
            return verdict.isOpen()
                    ? work.doOnComplete(() -> settle(verdict, null, null))
                            .doOnError(failure -> settle(verdict, null, failure))
                            .doOnCancel(() -> settle(verdict, null, null))
                    : work;
        }

        private void settle(Verdict verdict, @Nullable Object result, @Nullable Throwable failure) {
            verdict.completed(result, failure, request != null);
        }

        /** A handler holds its permits until the response is complete. */
        Mono<Object> release(Verdict verdict) {
            return handler ? Mono.empty() : Mono.fromRunnable(verdict::close);
        }
    }
}
