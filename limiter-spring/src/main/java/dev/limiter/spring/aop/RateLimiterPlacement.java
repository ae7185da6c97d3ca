package dev.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/**
 * Moves limits to the position of their order in proxies. Spring adds {@code @Async}, {@code @Retryable} and
 * {@code @ConcurrencyLimit} in front of all other advice, so a rejected call would first take a thread, and be retried.
 * Other advice and other methods are not changed. It is not {@link Ordered}, so that it runs after the post-processors
 * that add advice.
 */
public final class RateLimiterPlacement implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            Advisor[] advisors = proxy.getAdvisors();
            for (int i = 0; i < advisors.length; i++) {
                if (advisors[i] instanceof RateLimiterAdvisor limits) {
                    place(limits, i, proxy);
                }
            }
        }
        return bean;
    }

    private static void place(RateLimiterAdvisor limits, int current, Advised proxy) {
        if (limits.getOrder() == Ordered.LOWEST_PRECEDENCE) {
            // behind all others with the same order
            proxy.removeAdvisor(current);
            proxy.addAdvisor(limits);
            return;
        }
        List<Advisor> before = Arrays.asList(proxy.getAdvisors()).subList(0, current);
        List<Advisor> misplaced = before.stream()
                .filter(advisor -> order(advisor) > limits.getOrder())
                .toList();
        if (!misplaced.isEmpty()) {
            BiPredicate<Method, Class<?>> overtaken =
                    (method, type) -> misplaced.stream().anyMatch(advisor -> appliesTo(method, type, advisor));
            proxy.removeAdvisor(current);
            proxy.addAdvisor(current, new Part(limits, overtaken.negate()));
            proxy.addAdvisor(before.indexOf(misplaced.get(0)), new Part(limits, overtaken));
        }
    }

    private static int order(Advisor advisor) {
        // The @Async advisor has the highest precedence. That is right for advice in its thread, but a limit must
        // decide before.
        boolean ordered = advisor instanceof Ordered && !(advisor instanceof AsyncAnnotationAdvisor);
        return ordered ? ((Ordered) advisor).getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    private static boolean appliesTo(Method method, Class<?> type, Advisor advisor) {
        if (!(advisor instanceof PointcutAdvisor selective)) {
            return true;
        }
        Pointcut pointcut = selective.getPointcut();
        return pointcut.getClassFilter().matches(type)
                && pointcut.getMethodMatcher().matches(method, type);
    }

    /** The limits of some of the methods, at another place of the same proxy. */
    private static final class Part extends AbstractPointcutAdvisor {

        private static final long serialVersionUID = 1L;

        private final RateLimiterAdvisor whole;
        private final transient Pointcut pointcut;

        Part(RateLimiterAdvisor whole, BiPredicate<Method, Class<?>> methods) {
            this.whole = whole;
            this.pointcut = new StaticMethodMatcherPointcut() {
                @Override
                public boolean matches(Method method, Class<?> type) {
                    return methods.test(method, type)
                            && whole.getPointcut().getMethodMatcher().matches(method, type);
                }
            };
        }

        @Override
        public Pointcut getPointcut() {
            return pointcut;
        }

        @Override
        public Advice getAdvice() {
            return whole.getAdvice();
        }

        @Override
        public int getOrder() {
            return whole.getOrder();
        }
    }
}
