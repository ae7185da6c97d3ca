package dev.limiter.spring.aop;

import dev.limiter.spring.failure.Problems;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;

/** Compiles the annotations of all beans before the application serves anything, so that mistakes stop the start. */
public final class LimitedMethodScanner implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final LimitedMethods methods;

    public LimitedMethodScanner(ConfigurableListableBeanFactory beans, LimitedMethods methods) {
        this.beans = beans;
        this.methods = methods;
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
    }

    private void compile(Class<?> type, Problems problems) {
        MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                method -> problems.collect(() -> methods.isLimited(method, type)));
    }
}
