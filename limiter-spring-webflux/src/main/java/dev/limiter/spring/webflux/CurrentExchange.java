package dev.limiter.spring.webflux;

import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.decide.CurrentRequest;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.response.PolicyTexts;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * The state of WebFlux requests. No thread belongs to a request: publishers find it in the context of their subscriber,
 * and handler methods that return no publisher are decided before they are called. Thread-safe.
 */
public final class CurrentExchange implements CurrentRequest {

    private final ClientAddresses addresses;
    private final PolicyTexts texts = new PolicyTexts();
    private final Supplier<Set<Method>> plainHandlers;

    public CurrentExchange(
            ClientAddresses addresses, ReactiveMappings mappings, ObjectProvider<MethodLimits> methodLimits) {
        this.addresses = addresses;
        this.plainHandlers = SingletonSupplier.of(() -> mappings.of(RequestMappingInfoHandlerMapping.class)
                .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                .map(HandlerMethod::getMethod)
                .filter(method ->
                        !methodLimits.getIfAvailable(() -> MethodLimits.NONE).isReactive(method))
                .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public @Nullable RequestDecisions get() {
        return null;
    }

    @Override
    public boolean isDecidedBeforeCall(Method method, Class<?> targetClass) {
        return plainHandlers.get().contains(method);
    }

    /** Returns the decisions about a request, none yet if it is seen for the first time. */
    ExchangeDecisions begin(ServerWebExchange exchange) {
        ExchangeDecisions known = ExchangeDecisions.of(exchange);
        return known != null
                ? known
                : new ExchangeDecisions(exchange, new ExchangeView(exchange, addresses, ExchangeUser.UNKNOWN), texts);
    }
}
