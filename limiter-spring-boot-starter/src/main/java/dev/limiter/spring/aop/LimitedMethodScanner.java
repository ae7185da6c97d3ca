package dev.limiter.spring.aop;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.Rules;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;

/**
 * Compiles the annotations of all beans before the application serves anything, so that mistakes stop the start. Warns
 * of rules that nothing uses: their name may be a misspelling.
 */
public final class LimitedMethodScanner implements SmartInitializingSingleton {

    private static final Log logger = LogFactory.getLog(LimitedMethodScanner.class);

    private final ConfigurableListableBeanFactory beans;
    private final LimitedMethods methods;
    private final Rules rules;

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
        warnOfUnused();
    }

    private void warnOfUnused() {
        for (RuleDefinition rule : rules.current().definitions()) {
            if (rule.paths() == null && !methods.use(rule.name())) {
                logger.warn("Nothing uses the rule " + rule.origin() + ": it has no paths, and no bean has a"
                        + " @RateLimiter(\"" + rule.name() + "\")");
            }
        }
    }

    private void compile(Class<?> type, Problems problems) {
        MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                method -> problems.collect(() -> methods.isLimited(method, type)));
    }
}
