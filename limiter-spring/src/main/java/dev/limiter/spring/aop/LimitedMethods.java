package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.CandidateRules;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

/** Finds and compiles the limited methods of the application, each of them once. Thread-safe. */
public final class LimitedMethods implements MethodLimits {

    private final Rules rules;
    private final RuleCompiler compiler;
    private final AnnotationDefinitions definitions;
    private final Map<MethodClassKey, Optional<LimitedMethod>> methods = new ConcurrentHashMap<>();
    private final Set<String> ruleNames = ConcurrentHashMap.newKeySet();

    public LimitedMethods(Rules rules, RuleCompiler compiler, PropertyResolver placeholders) {
        this.rules = rules;
        this.compiler = compiler;
        this.definitions = new AnnotationDefinitions(placeholders);
    }

    @Override
    public boolean isLimited(Method method, Class<?> targetClass) {
        return isAnnotated(method, targetClass) && !UnproxiedMethods.is(method, targetClass);
    }

    @Override
    public List<RateLimitRule> rules(Method method, Class<?> targetClass) {
        LimitedMethod limited =
                isLimited(method, targetClass) ? find(method, LimitedType.of(method, targetClass, targetClass)) : null;
        return limited == null ? List.of() : limited.compile(rules.current());
    }

    @Override
    public @Nullable HandlerCall beforeCall(Method method, Class<?> targetClass, Object target, RequestView request) {
        LimitedMethod limited =
                isLimited(method, targetClass) ? find(method, LimitedType.of(method, targetClass, targetClass)) : null;
        return limited == null
                ? null
                : new HandlerCall(
                        rulesOf(limited),
                        new MethodContext(
                                request, limited.signature(), target, limited.method(), null, true, limited.name()));
    }

    @Override
    public @Nullable String fallback(Method method, Class<?> targetClass) {
        return isLimited(method, targetClass)
                ? RateLimiterAnnotations.of(method, LimitedType.of(method, targetClass, targetClass)).stream()
                        .map(RateLimiter::fallback)
                        .filter(fallback -> !fallback.isEmpty())
                        .findFirst()
                        .orElse(null)
                : null;
    }

    @Override
    public boolean isReactive(Method method) {
        return RateLimiterMethodInterceptor.REACTOR && ReactiveCall.isReactive(method);
    }

    /** Returns whether annotations apply to the method, even if no proxy can intercept its calls. */
    boolean isAnnotated(Method method, Class<?> targetClass) {
        Class<?> type = LimitedType.of(method, targetClass, targetClass);
        return RateLimiterAnnotations.mayBeOn(type) && find(method, type) != null;
    }

    @Override
    public List<String> found() {
        return methods.values().stream()
                .flatMap(Optional::stream)
                .map(LimitedMethod::signature)
                .sorted()
                .toList();
    }

    @Override
    public List<RateLimitRule> rules(RuleSet ruleSet) {
        return methods.values().stream()
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(LimitedMethod::signature))
                .flatMap(method -> method.compile(ruleSet).stream())
                .toList();
    }

    /**
     * Returns the limits of a method; null if it has none.
     *
     * @throws LimiterConfigurationException if its annotations are invalid
     */
    @Nullable
    LimitedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        // Unlike computeIfAbsent, get never locks.
        Optional<LimitedMethod> known = methods.get(key);
        return (known != null ? known : methods.computeIfAbsent(key, absent -> compile(method, targetClass)))
                .orElse(null);
    }

    ApplicableRules rulesOf(LimitedMethod method) {
        return method.rules(rules.current());
    }

    /** Returns whether the rule with this name limits a method that was found so far. */
    boolean use(String ruleName) {
        return ruleNames.contains(RuleName.canonical(ruleName));
    }

    /**
     * Returns whether the annotations of the type name the method as a fallback, which they do not limit.
     */
    boolean isFallback(Method called, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method method = AopUtils.getMostSpecificMethod(called, type);
        RuleOrigin origin = RuleOrigin.annotation(signature(method, type));
        return !RateLimiterAnnotations.areOn(method)
                && RateLimiterAnnotations.of(method, type).stream()
                        .map(RateLimiter::fallback)
                        .anyMatch(fallback -> method.getName().equals(definitions.text(fallback, "fallback", origin)))
                && RateLimiterAnnotations.of(type).keySet().stream()
                        .anyMatch(limited -> Fallback.fits(method, limited));
    }

    private Optional<LimitedMethod> compile(Method called, Class<?> targetClass) {
        List<RateLimiter> annotations = RateLimiterAnnotations.of(called, targetClass);
        if (annotations.isEmpty() || isFallback(called, targetClass)) {
            return Optional.empty();
        }
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method method = AopUtils.getMostSpecificMethod(called, type);
        String signature = signature(method, type);
        String name = type.getSimpleName() + "." + method.getName();
        Integer status = HttpClientMethods.status(called, targetClass);
        return Optional.of(new LimitedMethod(
                method,
                signature,
                name,
                fallbacks(annotations, method, type, name),
                ruleSet -> compile(annotations, method, signature, name, status, ruleSet),
                rules.current()));
    }

    private List<RateLimitRule> compile(
            List<RateLimiter> annotations,
            Method method,
            String signature,
            String name,
            @Nullable Integer status,
            RuleSet ruleSet) {
        RuleOrigin origin = RuleOrigin.annotation(signature);
        Set<String> names = new HashSet<>();
        List<RateLimitRule> compiled = new ArrayList<>();
        for (int i = 0; i < annotations.size(); i++) {
            RateLimiter annotation = annotations.get(i);
            String ruleName = definitions.name(annotation, name, i, origin);
            RuleDefinition definition = definitions
                    .definition(annotation, ruleName, origin, ruleSet, status)
                    .inModeOfAll(ruleSet.mode());
            if (!names.add(RuleName.canonical(definition.name()))) {
                throw new LimiterConfigurationException(new Problem(
                        MessageCode.SAME_NAME,
                        origin.of("name"),
                        definition.name(),
                        "Two annotations have this name. Give each its own."));
            }
            ruleNames.add(RuleName.canonical(definition.name()));
            compiled.add(compiler.compile(definition, method, signature));
            RuleDefinition candidate = CandidateRules.of(definition);
            if (candidate != null) {
                compiled.add(compiler.compile(candidate, method, signature));
            }
        }
        return compiled;
    }

    /** Returns the fallbacks of the annotations by canonical rule name. */
    private Map<String, Fallback> fallbacks(
            List<RateLimiter> annotations, Method method, Class<?> type, String methodName) {
        RuleOrigin origin = RuleOrigin.annotation(signature(method, type));
        Map<String, Fallback> fallbacks = new HashMap<>();
        for (int i = 0; i < annotations.size(); i++) {
            String name = definitions.text(annotations.get(i).fallback(), "fallback", origin);
            if (name != null) {
                String rule = definitions.name(annotations.get(i), methodName, i, origin);
                fallbacks.put(RuleName.canonical(rule), fallback(name, method, type, origin));
            }
        }
        return fallbacks;
    }

    private static Fallback fallback(String name, Method method, Class<?> type, RuleOrigin origin) {
        try {
            return Fallback.of(method, type, name);
        } catch (IllegalArgumentException unfit) {
            throw new LimiterConfigurationException(
                    new Problem(MessageCode.FALLBACK, origin.of("fallback"), name, String.valueOf(unfit.getMessage())));
        }
    }

    static String signature(Method method, Class<?> type) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(", "));
        return type.getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
