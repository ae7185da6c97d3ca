package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.RuleDefinition;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;

/**
 * Compiles the annotations of all beans at startup, so that mistakes fail early. Finds annotations that limit nothing,
 * and rules that nothing uses, for example because their name is misspelled.
 */
public final class LimitedMethodScanner implements SmartInitializingSingleton, StartupCheck {

    private static final Log logger = LogFactory.getLog(LimitedMethodScanner.class);

    private final ConfigurableListableBeanFactory beans;
    private final LimitedMethods methods;
    private final Rules rules;
    private final Set<Finding> withoutEffect = new LinkedHashSet<>();

    public LimitedMethodScanner(ConfigurableListableBeanFactory beans, LimitedMethods methods, Rules rules) {
        this.beans = beans;
        this.methods = methods;
        this.rules = rules;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Problems problems = new Problems();
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && RateLimiterAnnotations.mayBeOn(type)) {
                compile(type, problems);
            }
        }
        problems.throwIfAny();
        logRulesForCode();
    }

    /** Logs rules that only code can use, because a rule with forgotten paths looks the same. */
    private void logRulesForCode() {
        List<String> forCode = rules.current().rules().stream()
                .filter(rule -> !rule.appliesByPath() && rule.live() == null && !methods.use(rule.name()))
                .map(RateLimitRule::origin)
                .toList();
        if (!forCode.isEmpty() && beans.getDependentBeans("limiterTemplate").length == 0) {
            logger.info("These rules have no paths, and no @RateLimiter has their name. They limit nothing until"
                    + " code uses them with a RateLimitTemplate, or a gateway route with the filter Limiter: "
                    + String.join(", ", forCode));
        }
    }

    @Override
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>(withoutEffect);
        for (RuleDefinition rule : rules.current().definitions()) {
            boolean onlyChanged = rule.origin() instanceof ChangeOrigin;
            boolean forCode = rules.current().find(rule.name()).isPresent();
            if (!onlyChanged && !forCode && !methods.use(rule.name())) {
                findings.add(new Finding(
                        MessageCode.UNUSED_RULE,
                        rule.origin() + " limits nothing: it has no paths, no bean has a"
                                + " @RateLimiter(\"" + rule.name() + "\"), and code cannot use it, because its limit"
                                + " is incomplete. Add paths, correct the name, or remove the rule."));
            }
        }
        return findings;
    }

    private void compile(Class<?> type, Problems problems) {
        MethodIntrospector.MetadataLookup<Boolean> annotated = method -> problems.collect(() -> {
            UnproxiedMethods.finding(method, type)
                    .filter(found -> !methods.isFallback(method, type))
                    .ifPresent(withoutEffect::add);
            return methods.isAnnotated(method, type);
        });
        MethodIntrospector.selectMethods(type, annotated);
    }
}
