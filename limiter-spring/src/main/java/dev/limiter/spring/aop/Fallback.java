package dev.limiter.spring.aop;

import dev.limiter.RateLimitExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of a rejected one: on the same object, behind its proxy, with the same arguments
 * and, if it takes one more, the exception.
 */
record Fallback(Method method, boolean takesException) {

    /**
     * Finds a fallback.
     *
     * @throws IllegalArgumentException if the type has no such method; the message contains the possible signatures
     */
    static Fallback of(Method limited, Class<?> targetClass, String name) {
        return MethodIntrospector.selectMethods(targetClass, (MethodIntrospector.MetadataLookup<Fallback>)
                        method -> fitting(limited, method, name))
                .values()
                .stream()
                .max(Comparator.comparing(Fallback::takesException))
                .orElseThrow(() -> new IllegalArgumentException(expected(limited, targetClass, name)));
    }

    /** Returns whether the method can be a fallback of {@code limited}. */
    static boolean fits(Method method, Method limited) {
        return fitting(limited, method, method.getName()) != null;
    }

    private static @Nullable Fallback fitting(Method limited, Method method, String name) {
        if (!method.getName().equals(name)
                || method.equals(limited)
                || !resultFits(limited.getReturnType(), method.getReturnType())) {
            return null;
        }
        Class<?>[] same = parameters(limited);
        Class<?>[] own = method.getParameterTypes();
        if (Arrays.equals(same, own)) {
            return new Fallback(method, false);
        }
        boolean takesException = own.length == same.length + 1
                && Arrays.equals(same, Arrays.copyOf(own, same.length))
                && Throwable.class.isAssignableFrom(own[same.length])
                && own[same.length].isAssignableFrom(RateLimitExceededException.class);
        return takesException ? new Fallback(method, true) : null;
    }

    /** Returns the parameters without the continuation of a suspending function, which Spring resumes. */
    private static Class<?>[] parameters(Method limited) {
        Class<?>[] all = limited.getParameterTypes();
        return KotlinDetector.isSuspendingFunction(limited) ? Arrays.copyOf(all, all.length - 1) : all;
    }

    private static boolean resultFits(Class<?> wanted, Class<?> given) {
        return wanted == void.class || given != void.class && ClassUtils.isAssignable(wanted, given);
    }

    private static String expected(Method limited, Class<?> targetClass, String name) {
        int parenthesis = name.indexOf('(');
        if (parenthesis > 0) {
            return "It must be the name of a method without parameters: write \"" + name.substring(0, parenthesis)
                    + "\".";
        }
        if (name.equals(limited.getName())) {
            return "It is the limited method itself: name another one, such as \"" + name + "Rejected\".";
        }
        StringBuilder parameters = new StringBuilder();
        for (Class<?> type : parameters(limited)) {
            parameters.append(parameters.isEmpty() ? "" : ", ").append(type.getSimpleName());
        }
        String result = limited.getReturnType().getSimpleName();
        String separator = parameters.isEmpty() ? "" : ", ";
        return targetClass.getSimpleName() + " needs a method \"" + result + " " + name + "(" + parameters
                + ")\", or \"" + result + " " + name + "(" + parameters + separator + "RateLimitExceededException)\"."
                + (KotlinDetector.isSuspendingFunction(limited) ? " It must not be a suspending function." : "");
    }

    /** {@code limited}: the rejected method. */
    @Nullable
    Object call(
            @Nullable Object target, Method limited, @Nullable Object[] arguments, RateLimitExceededException rejection)
            throws Throwable {
        int same = parameters(limited).length;
        @Nullable Object[] all = Arrays.copyOf(arguments, takesException ? same + 1 : same);
        if (takesException) {
            all[same] = rejection;
        }
        ReflectionUtils.makeAccessible(method);
        try {
            return method.invoke(target, all);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }
}
