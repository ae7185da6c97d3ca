package dev.limiter.spring.aop;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;

/**
 * Puts {@link RateLimiterMethodInterceptor} around limited methods. An advisor and not an {@code @Aspect}, since
 * AspectJ's {@code @annotation} does not see annotations of interfaces, meta-annotations and repeated ones. Finds the
 * interceptor by its name at the first call, so that creating proxies does not create limiters.
 */
public final class RateLimiterAdvisor extends AbstractBeanFactoryPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut = new RateLimiterPointcut();

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }
}
