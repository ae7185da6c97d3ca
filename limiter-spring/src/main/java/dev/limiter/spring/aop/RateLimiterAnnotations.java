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
 * Finds the annotations that apply to a method: the ones of the nearest annotated element. The method and the methods
 * that it overrides or implements take precedence over its type, superclasses and interfaces.
 */
final class RateLimiterAnnotations {

    private static final List<String> NO_ENDPOINT = List.of(
            "org.springframework.web.bind.annotation.ExceptionHandler",
            "org.springframework.web.bind.annotation.InitBinder",
            "org.springframework.web.bind.annotation.ModelAttribute");
    private static final String ENDPOINT = "org.springframework.web.bind.annotation.RequestMapping";

    private RateLimiterAnnotations() {}

    /** Returns whether a type may be annotated. Skips the many types of Spring itself. */
    static boolean mayBeOn(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, RateLimiter.class)
                && (!type.getName().startsWith("org.springframework.")
                        || AnnotatedElementUtils.isAnnotated(type, Component.class));
    }

    /**
     * Returns all annotations of the nearest element in source order; empty if the method is not limited.
     */
    static List<RateLimiter> of(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        List<RateLimiter> own = nearest(specific);
        return own.isEmpty() && limitedByType(specific) ? nearest(targetClass) : own;
    }

    /** Returns the annotations of each limited method of a type. */
    static Map<Method, List<RateLimiter>> of(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<List<RateLimiter>>) method -> {
            List<RateLimiter> annotations = of(method, type);
            return annotations.isEmpty() ? null : annotations;
        });
    }

    /** Returns whether the method itself is annotated, rather than its type. */
    static boolean areOn(Method method) {
        return !nearest(method).isEmpty();
    }

    /** Returns whether annotations are meant for the method, even if no proxy can intercept its calls. */
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

    /**
     * Returns whether annotations of the type apply to the method. Annotations of a controller do not apply to its
     * helper methods.
     */
    private static boolean limitedByType(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || ReflectionUtils.isObjectMethod(method)) {
            return false;
        }
        // Endpoints of Spring MVC may have any visibility. In other beans, only public methods are limited.
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
