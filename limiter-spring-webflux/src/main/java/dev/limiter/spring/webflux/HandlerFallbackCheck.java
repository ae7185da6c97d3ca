package dev.limiter.spring.webflux;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;

/**
 * Rejects fallbacks of handler methods that return no publisher: these are decided before their arguments are known, which
 * the fallback needs.
 */
public final class HandlerFallbackCheck implements SmartInitializingSingleton {

    private final ReactiveMappings mappings;
    private final MethodLimits methodLimits;

    public HandlerFallbackCheck(ReactiveMappings mappings, MethodLimits methodLimits) {
        this.mappings = mappings;
        this.methodLimits = methodLimits;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.of(RequestMappingInfoHandlerMapping.class)
                .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                .filter(handler -> !methodLimits.isReactive(handler.getMethod()))
                .forEach(HandlerFallbackCheck::check);
    }

    private static void check(HandlerMethod handler) {
        MergedAnnotations.from(
                        handler.getMethod(), SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                .stream(RateLimiter.class)
                .map(annotation -> annotation.getString("fallback"))
                .filter(fallback -> !fallback.isEmpty())
                .findFirst()
                .ifPresent(fallback -> {
                    String name = handler.getBeanType().getName() + "."
                            + handler.getMethod().getName();
                    throw new LimiterConfigurationException(new Problem(
                            MessageCode.FALLBACK,
                            "@RateLimiter(fallback) on " + name,
                            fallback,
                            "On WebFlux, only a handler method that returns a Mono or Flux can have a fallback. Return"
                                    + " one, or handle RateLimitExceededException"));
                });
    }
}
