package dev.limiter.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * The type of the application to which a limited method belongs. That is the class of the bean; but where no
 * class of the application implements an interface (a repository of Spring Data, a client of an HTTP service),
 * it is the interface: the class behind it is the same for all repositories, and that of a proxy has another
 * name in each process.
 */
final class LimitedType {

    private LimitedType() {}

    /**
     * @param bean the class of the object on which the method is called, which may be a proxy
     * @param target the class of what is behind all proxies of it, as far as it is known
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

    /** The interface of the proxy that has the method; one of the application rather than one of Spring. */
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
