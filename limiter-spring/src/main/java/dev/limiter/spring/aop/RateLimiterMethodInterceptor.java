package dev.limiter.spring.aop;

import dev.limiter.RateLimitExceededException;
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

/** Decides calls of limited methods: proceeds, calls the fallback, or throws. Thread-safe. */
public final class RateLimiterMethodInterceptor implements MethodInterceptor {

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
        if (method == null) {
            return call.proceed();
        }
        RequestDecisions request = currentRequest.get();
        boolean handler = request != null && request.isHandler(method.method(), targetClass);
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
        return fallback.call(target, call.getArguments(), rejection);
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
        MethodContext context = new MethodContext(
                request == null ? null : request.view(),
                method.signature(),
                call.getThis(),
                method.method(),
                call.getArguments(),
                handler,
                method.name());
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
}
