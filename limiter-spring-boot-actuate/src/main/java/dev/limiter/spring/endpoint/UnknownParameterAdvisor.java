package dev.limiter.spring.endpoint;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LogText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses a change with a parameter that is unknown, which Actuator leaves out: without a misspelt {@code key}, a
 * change would be one for all keys.
 */
public final class UnknownParameterAdvisor implements OperationInvokerAdvisor {

    private static final EndpointId LIMITER = EndpointId.of("limiter");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(LIMITER) || type == OperationType.READ) {
            return invoker;
        }
        Map<String, Class<?>> known = new LinkedHashMap<>();
        parameters.forEach(parameter -> known.put(parameter.getName(), parameter.getType()));
        return context -> {
            Set<String> given = context.getArguments().keySet();
            return given.stream()
                    .filter(name -> !known.containsKey(name))
                    .findFirst()
                    .<Object>map(name -> unknown(name, known))
                    .orElseGet(() -> invoker.invoke(context));
        };
    }

    private static WebEndpointResponse<?> unknown(String name, Map<String, Class<?>> known) {
        // the rule is part of the path, and the server adds the operator
        List<String> words = known.keySet().stream()
                .filter(word -> !word.equals("rule") && known.get(word) != SecurityContext.class)
                .toList();
        return new WebEndpointResponse<>(
                Map.of(
                        "error",
                        "\"" + LogText.escape(name) + "\" is unknown. Known: " + String.join(", ", words) + "."
                                + DidYouMean.ask(name, words)),
                WebEndpointResponse.STATUS_BAD_REQUEST);
    }
}
