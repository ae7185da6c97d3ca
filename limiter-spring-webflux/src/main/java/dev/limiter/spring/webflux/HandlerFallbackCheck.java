package dev.limiter.spring.webflux;

import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import org.springframework.beans.factory.SmartInitializingSingleton;
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
                .forEach(this::check);
    }

    private void check(HandlerMethod handler) {
        String fallback = methodLimits.fallback(handler.getMethod(), handler.getBeanType());
        if (fallback != null) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.FALLBACK,
                    "@RateLimiter(fallback) on " + handler.getBeanType().getName() + "."
                            + handler.getMethod().getName(),
                    fallback,
                    "On WebFlux, only a handler method that returns a Mono or Flux can have a fallback. Return one, or"
                            + " handle RateLimitExceededException"));
        }
    }
}
