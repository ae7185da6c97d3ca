package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.RateLimiter;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.stereotype.Component;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that apply to a method: those of the nearest annotated element. The method and the methods it
 * overrides or implements come before its type, superclasses and interfaces.
 */
final class RateLimiterAnnotations {

    private static final List<String> NO_ENDPOINT = List.of(
            "org.springframework.web.bind.annotation.ExceptionHandler",
            "org.springframework.web.bind.annotation.InitBinder",
            "org.springframework.web.bind.annotation.ModelAttribute");
    private static final String ENDPOINT = "org.springframework.web.bind.annotation.RequestMapping";

    private RateLimiterAnnotations() {}

    /** Whether it is worth looking at a type; those of Spring itself are many, and have none. */
    static boolean mayBeOn(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, RateLimiter.class)
                && (!type.getName().startsWith("org.springframework.")
                        || AnnotatedElementUtils.isAnnotated(type, Component.class));
    }

    /**
     * All annotations of the nearest element, in the order in which they are written; none if the method is not
     * limited.
     */
    static List<RateLimiter> of(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        List<RateLimiter> own = nearest(specific);
        return own.isEmpty() && limitedByType(specific) ? nearest(targetClass) : own;
    }

    /** The annotations of each limited method of a type. */
    static Map<Method, List<RateLimiter>> of(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<List<RateLimiter>>) method -> {
            List<RateLimiter> annotations = of(method, type);
            return annotations.isEmpty() ? null : annotations;
        });
    }

    /** Whether the method has annotations itself, rather than its type. */
    static boolean areOn(Method method) {
        return !nearest(method).isEmpty();
    }

    /** Whether annotations are meant for the method, be it that its calls can be limited or not. */
    static boolean areMeantFor(Method method, Class<?> targetClass) {
        return areOn(method)
                || (isEndpoint(method) || limitedByType(method))
                        && !nearest(targetClass).isEmpty();
    }

    private static List<RateLimiter> nearest(AnnotatedElement element) {
        List<MergedAnnotation<RateLimiter>> all =
                MergedAnnotations.from(
                                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                        .stream(RateLimiter.class)
                        .toList();
        return all.stream()
                .filter(annotation ->
                        annotation.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    /** The annotation of a controller is about its endpoints, not about the methods that serve them. */
    private static boolean limitedByType(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || ReflectionUtils.isObjectMethod(method)) {
            return false;
        }
        // Spring MVC serves endpoints of any visibility; of other beans, the methods that are not public are their own.
        return isEndpoint(method)
                || Modifier.isPublic(modifiers) && NO_ENDPOINT.stream().noneMatch(annotations(method)::isPresent);
    }

    private static boolean isEndpoint(Method method) {
        return annotations(method).isPresent(ENDPOINT);
    }

    private static MergedAnnotations annotations(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    }
}
