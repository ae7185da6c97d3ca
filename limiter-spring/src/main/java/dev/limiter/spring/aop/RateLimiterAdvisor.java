package dev.limiter.spring.aop;

import java.lang.reflect.Method;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Puts {@link RateLimiterMethodInterceptor} around limited methods. It is not an {@code @Aspect}, because AspectJ's
 * {@code @annotation} finds neither annotations of interfaces nor meta-annotations and repeated ones. Looks up the
 * interceptor by name at the first call, so that creating proxies does not create limiters.
 */
public final class RateLimiterAdvisor extends AbstractBeanFactoryPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut = new AnnotatedMethods();

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

        AnnotatedMethods() {
            setClassFilter(RateLimiterAnnotations::mayBeOn);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return !RateLimiterAnnotations.of(method, LimitedType.of(method, targetClass, targetClass))
                    .isEmpty();
        }
    }
}
