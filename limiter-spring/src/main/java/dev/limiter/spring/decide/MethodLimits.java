package dev.limiter.spring.decide;

import java.lang.reflect.Method;
import java.util.List;

/** Knows which methods have limits of their own. */
@FunctionalInterface
public interface MethodLimits {

    /** Where methods are not limited. */
    MethodLimits NONE = (method, targetClass) -> false;

    /** Whether a method was found so far whose calls may be none that are charged for. */
    default boolean chargesByOutcome() {
        return false;
    }

    /** The methods with limits of their own that were found so far, by their signatures. */
    default List<String> found() {
        return List.of();
    }

    /** Whether the method has limits of its own when called on an object of that class. */
    boolean isLimited(Method method, Class<?> targetClass);
}
