package dev.limiter.spring.aop;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.CallCompletion;
import dev.limiter.spring.decide.CurrentRequest;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Decides calls of limited methods: proceeds, calls the fallback, or throws. Thread-safe. */
public final class RateLimiterMethodInterceptor implements MethodInterceptor {

    static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", RateLimiterMethodInterceptor.class.getClassLoader());

    private final LimitedMethods methods;
    private final RuleDecider decider;
    private final CurrentRequest currentRequest;

    public RateLimiterMethodInterceptor(LimitedMethods methods, RuleDecider decider, CurrentRequest currentRequest) {
        this.methods = methods;
        this.decider = decider;
        this.currentRequest = currentRequest;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> targetClass = type(call.getMethod(), target);
        LimitedMethod method = methods.find(call.getMethod(), targetClass);
        if (method == null || currentRequest.isDecidedBeforeCall(method.method(), targetClass)) {
            return call.proceed();
        }
        RequestDecisions request = currentRequest.get();
        boolean handler = request != null && request.isHandler(method.method(), targetClass);
        if (REACTOR && !handler && ReactiveCall.isReactive(call.getMethod())) {
            return new ReactiveCall(this, call, method, targetClass).limited(request);
        }
        Verdict verdict = decide(call, method, request, handler);
        if (verdict.permitted()) {
            // Asynchronous work of a handler may continue after it returns; its permits are released with the request.
            boolean releases = !handler && verdict.holds();
            return releases || verdict.isOpen()
                    ? new CallCompletion(verdict, request != null, releases)
                            .proceed(call::proceed, call.getMethod().getReturnType())
                    : call.proceed();
        }
        RateLimitExceededException rejection = verdict.rejection();
        Fallback fallback = method.fallback(verdict.rejectingRule());
        if (fallback == null) {
            throw rejection;
        }
        return fallback.call(target, call.getMethod(), call.getArguments(), rejection);
    }

    private static Class<?> type(Method method, @Nullable Object target) {
        return target == null
                ? method.getDeclaringClass()
                : LimitedType.of(method, target.getClass(), AopUtils.getTargetClass(target));
    }

    private Verdict decide(
            MethodInvocation call, LimitedMethod method, @Nullable RequestDecisions request, boolean handler) {
        if (request != null && handler && !request.isHandlerOpen()) {
            return Verdict.UNLIMITED;
        }
        ApplicableRules rules = methods.rulesOf(method);
        MethodContext context = context(call, method, request, handler);
        if (request == null) {
            return decider.decide(rules, context);
        }
        if (!handler) {
            Verdict verdict = decider.decide(rules, context);
            request.settleWithAnswer(verdict);
            return verdict;
        }
        // A rule that counted the request by path does not count it again by name.
        Verdict verdict = decider.decide(rules.without(request.rules()), context);
        request.add(verdict);
        return verdict;
    }

    private static MethodContext context(
            MethodInvocation call, LimitedMethod method, @Nullable RequestDecisions request, boolean handler) {
        return new MethodContext(
                request == null ? null : request.view(),
                method.signature(),
                call.getThis(),
                method.method(),
                call.getArguments(),
                handler,
                method.name());
    }

    /** Decides a call without blocking. The verdict is not yet known to the request. */
    ReturningFuture<Verdict> decideLater(
            MethodInvocation call, LimitedMethod method, @Nullable RequestDecisions request, boolean handler) {
        ApplicableRules rules = methods.rulesOf(method);
        return decider.decideLater(
                request != null && handler ? rules.without(request.rules()) : rules,
                context(call, method, request, handler));
    }
}
