package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LogText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;

/**
 * Rejects unknown parameters, and over HTTP null and repeated ones. Actuator ignores the first two and joins the last,
 * so a change with a misspelled {@code key}, or an empty variable for it, would apply to all keys. Over JMX, null is how
 * a parameter is left out. Passes the parameters of {@code explain}, which Actuator would drop.
 */
public final class UnknownParameterAdvisor implements OperationInvokerAdvisor {

    private static final EndpointId LIMITER = EndpointId.of("limiter");

    private final Supplier<LimiterWebEndpoint> endpoint;

    public UnknownParameterAdvisor(Supplier<LimiterWebEndpoint> endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public OperationInvoker apply(
            EndpointId id, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!id.equals(LIMITER)) {
            return invoker;
        }
        Map<String, Class<?>> known = new LinkedHashMap<>();
        parameters.forEach(parameter -> known.put(parameter.getName(), parameter.getType()));
        return context -> {
            Map<String, Object> given = context.getArguments();
            boolean http = context.canResolve(WebServerNamespace.class);
            if (http && type == OperationType.READ && endpoint.get().explains(given)) {
                return endpoint.get().explain(words(given));
            }
            for (Map.Entry<String, Object> parameter : given.entrySet()) {
                WebEndpointResponse<?> rejection = rejection(parameter.getKey(), parameter.getValue(), known, http);
                if (rejection != null) {
                    return rejection;
                }
            }
            return invoker.invoke(context);
        };
    }

    /** Returns the values of all parameters except the rule, which is part of the path. */
    private static Map<String, List<String>> words(Map<String, Object> given) {
        Map<String, List<String>> words = new LinkedHashMap<>();
        given.forEach((name, value) -> {
            if (!name.equals("rule")) {
                List<?> values = value instanceof List<?> several ? several : List.of(value);
                words.put(name, values.stream().map(String::valueOf).toList());
            }
        });
        return words;
    }

    private static @Nullable WebEndpointResponse<?> rejection(
            String name, @Nullable Object value, Map<String, Class<?>> known, boolean http) {
        if (!known.containsKey(name)) {
            return unknown(name, known);
        }
        if (http && value == null) {
            return rejected("\"" + name + "\" is null. Set a value, or leave it out.");
        }
        return http && value instanceof List<?> values
                ? rejected("\"" + name + "\" appears " + values.size() + " times in the URL; send it once.")
                : null;
    }

    private static WebEndpointResponse<?> unknown(String name, Map<String, Class<?>> known) {
        if (name.equals("enforce") && known.containsKey("rollout")) {
            return rejected("\"enforce\" was renamed to \"rollout\".");
        }
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
