package dev.limiter.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Determines the application type to which a limited method belongs, usually the class of the bean. For interfaces that
 * no class of the application implements (Spring Data repositories, HTTP clients), it is the interface: all
 * repositories share one class, and the class of a proxy has another name in each process.
 */
final class LimitedType {

    private LimitedType() {}

    /**
     * Returns the type of a method.
     *
     * @param bean the class of the called object, which may be a proxy
     * @param target the class behind its proxies, as far as it is known
     */
    static Class<?> of(Method method, Class<?> bean, Class<?> target) {
        if (!Proxy.isProxyClass(bean)) {
            return target;
        }
        Class<?> declared = declaring(method, bean);
        if (declared == null) {
            return Proxy.isProxyClass(target) ? method.getDeclaringClass() : target;
        }
        boolean implemented = declared.isAssignableFrom(target) && !Proxy.isProxyClass(target);
        return implemented ? target : declared;
    }

    /** Returns the interface of the proxy that declares the method, preferably one of the application. */
    private static @Nullable Class<?> declaring(Method method, Class<?> proxy) {
        Class<?> ofSpring = null;
        for (Class<?> candidate : proxy.getInterfaces()) {
            if (method.getDeclaringClass().isAssignableFrom(candidate)) {
                if (!candidate.getName().startsWith("org.springframework.")) {
                    return candidate;
                }
                ofSpring = candidate;
            }
        }
        return ofSpring;
    }
}
