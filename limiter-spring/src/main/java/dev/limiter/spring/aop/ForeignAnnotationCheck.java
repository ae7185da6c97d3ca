package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@code @RateLimiter} of resilience4j that was probably imported by mistake: resilience4j does not apply it, or
 * it names a rule.
 */
public final class ForeignAnnotationCheck implements StartupCheck {

    private static final String LIBRARY = "io.github.resilience4j.";
    private static final String FOREIGN = LIBRARY + "ratelimiter.annotation.RateLimiter";

    private final ConfigurableListableBeanFactory beans;
    private final Rules rules;

    public ForeignAnnotationCheck(ConfigurableListableBeanFactory beans, Rules rules) {
        this.beans = beans;
        this.rules = rules;
    }

    @Override
    public List<Finding> findings() {
        if (!ClassUtils.isPresent(FOREIGN, beans.getBeanClassLoader())) {
            return List.of();
        }
        List<Class<?>> types = Arrays.stream(beans.getBeanNamesForType(Object.class, true, false))
                .<Class<?>>map(name -> AutoProxyUtils.determineTargetClass(beans, name))
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        boolean applied = types.stream()
                .anyMatch(type -> type.getName().startsWith(LIBRARY)
                        && type.getSimpleName().equals("RateLimiterAspect"));
        List<Finding> findings = new ArrayList<>();
        for (Class<?> type : types) {
            if (AnnotationUtils.isCandidateClass(type, FOREIGN)) {
                Class<?> user = ClassUtils.getUserClass(type);
                check(user, user.getName(), applied, findings);
                for (Method method : ReflectionUtils.getUniqueDeclaredMethods(user)) {
                    check(method, user.getName() + "." + method.getName(), applied, findings);
                }
            }
        }
        return findings;
    }

    private void check(AnnotatedElement element, String place, boolean applied, List<Finding> findings) {
        MergedAnnotation<?> foreign = MergedAnnotations.from(element).get(FOREIGN);
        if (!foreign.isPresent()) {
            return;
        }
        String name = foreign.getString("name");
        boolean isRule = rules.current().find(name).isPresent();
        if (!applied || isRule) {
            findings.add(new Finding(
                    MessageCode.FOREIGN_ANNOTATION,
                    "@RateLimiter on " + place + " is imported from resilience4j"
                            + (applied
                                    ? ", but \"" + name + "\" is a rule of Limiter, which does not apply to it."
                                    : ", which does not apply it here: the method is not limited.")
                            + " Import dev.limiter.spring.annotation.RateLimiter."));
        }
    }
}
