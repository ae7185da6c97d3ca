package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LogText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;

/**
 * Rejects unknown parameters, and null over HTTP. Actuator ignores both, so a change with a misspelled {@code key}, or
 * an empty variable for it, would apply to all keys. Over JMX, null is how a parameter is left out. {@code explain}
 * checks its own parameters.
 */
public final class UnknownParameterAdvisor implements OperationInvokerAdvisor {

    private static final EndpointId LIMITER = EndpointId.of("limiter");

    private final UnaryOperator<Object> overHttp;

    /** {@code overHttp}: the result of an operation over HTTP for a response; Actuator for WebFlux expects a publisher. */
    public UnknownParameterAdvisor(UnaryOperator<Object> overHttp) {
        this.overHttp = overHttp;
    }

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(LIMITER)) {
            return invoker;
        }
        Map<String, Class<?>> known = new LinkedHashMap<>();
        parameters.forEach(parameter -> known.put(parameter.getName(), parameter.getType()));
        return context -> {
            if (type == OperationType.READ
                    && LimiterWebEndpoint.EXPLAIN.equals(context.getArguments().get("rule"))) {
                return invoker.invoke(context);
            }
            boolean http = context.canResolve(WebServerNamespace.class);
            for (Map.Entry<String, Object> given : context.getArguments().entrySet()) {
                String name = given.getKey();
                if (!known.containsKey(name)) {
                    return http ? overHttp.apply(unknown(name, known)) : unknown(name, known);
                }
                if (http && given.getValue() == null) {
                    return overHttp.apply(rejected("\"" + name + "\" is null. Set a value, or leave it out."));
                }
            }
            return invoker.invoke(context);
        };
    }

    private static WebEndpointResponse<?> unknown(String name, Map<String, Class<?>> known) {
        // the rule is part of the path, and the server adds the operator
        List<String> words = known.keySet().stream()
                .filter(word -> !word.equals("rule") && known.get(word) != SecurityContext.class)
                .toList();
        return rejected("\"" + LogText.escape(name) + "\" is unknown. "
                + (words.isEmpty()
                        ? "Leave it out."
                        : "Known: " + String.join(", ", words) + "." + DidYouMean.ask(name, words)));
    }

    private static WebEndpointResponse<?> rejected(String error) {
        return new WebEndpointResponse<>(Map.of("error", error), WebEndpointResponse.STATUS_BAD_REQUEST);
    }
}
