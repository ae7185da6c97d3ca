package dev.limiter.spring.actuate.endpoint;

import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.spring.context.WebExchange;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.StaleVersionException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** {@link LimiterEndpoint} over HTTP, with errors in the body of 400, 404, 409 and 503 responses. Thread-safe. */
@EndpointWebExtension(endpoint = LimiterEndpoint.class)
public final class LimiterWebEndpoint {

    /** Used instead of a rule name, with the path of a request as parameter. */
    static final String EXPLAIN = "explain";

    /** A class name of an exception in the message of its wrapper. */
    private static final Pattern EXCEPTION = Pattern.compile("(?:[a-z]\\w*\\.)+[A-Z]\\w*(?:Exception|Error)(?:: )?");

    private final LimiterEndpoint endpoint;
    private final RequestExplanations explanations;
    private final WebExchange exchange;

    public LimiterWebEndpoint(LimiterEndpoint endpoint, RequestExplanations explanations, WebExchange exchange) {
        this.endpoint = endpoint;
        this.explanations = explanations;
        this.exchange = exchange;
    }

    /** All rules. */
    WebEndpointResponse<Map<String, Object>> rules() {
        return new WebEndpointResponse<>(endpoint.rules());
    }

    /** Returns a rule, the state of a key, or for {@code explain} the explanation of a request. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> rule(
            @Selector String rule, @Nullable String key, @Nullable String resource, @Nullable String suggest) {
        Map<String, List<String>> words = exchange.parameters();
        if (rule.equals(EXPLAIN) && (words.containsKey("path") || endpoint.rule(rule, null, null, null) == null)) {
            return response(rule, () -> explanations.of(words));
        }
        return response(rule, () -> {
            checkNotRepeated(words);
            return endpoint.rule(rule, key, resource, suggest);
        });
    }

    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> changeAll(
            @Nullable String mode,
            @Nullable String until,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return response(() -> {
            checkInBody(exchange.parameters());
            return endpoint.changeAll(mode, until, version, reason, operator);
        });
    }

    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> restoreAll(
            @Nullable String version, @Nullable String reason, SecurityContext operator) {
        return response(() -> {
            checkNotRepeated(exchange.parameters());
            return endpoint.restoreAll(version, reason, operator);
        });
    }

    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> change(
            @Selector String rule,
            @Nullable String named,
            @Nullable String limit,
            @Nullable String window,
            @Nullable String burst,
            @Nullable String mode,
            @Nullable String rollout,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean ban,
            @Nullable String until,
            @Nullable Boolean observe,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return response(rule, () -> {
            checkInBody(exchange.parameters());
            return endpoint.change(
                    rule, named, limit, window, burst, mode, rollout, key, resource, ban, until, observe, version,
                    reason, operator);
        });
    }

    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> restore(
            @Selector String rule,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean override,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return response(rule, () -> {
            checkNotRepeated(exchange.parameters());
            return endpoint.restore(rule, key, resource, override, version, reason, operator);
        });
    }

    /** Actuator would join repeated values with commas, and so select a different key. */
    private static void checkNotRepeated(Map<String, List<String>> words) {
        words.forEach((word, values) -> {
            if (values.size() > 1) {
                throw new IllegalArgumentException(
                        "\"" + word + "\" appears " + values.size() + " times in the URL; send it once.");
            }
        });
    }

    /** Actuator would prefer URL parameters to the body, and so change a different key. */
    private static void checkInBody(Map<String, List<String>> words) {
        if (!words.isEmpty()) {
            throw new IllegalArgumentException("Send changes only in the request body. Remove from the URL: "
                    + String.join(", ", words.keySet()) + ".");
        }
    }

    private WebEndpointResponse<Map<String, Object>> response(
            String rule, Supplier<? extends @org.jspecify.annotations.Nullable Map<String, Object>> operation) {
        return response(() -> {
            if (!exchange.isAbout(rule)) {
                throw new IllegalArgumentException(
                        "The rule is already in the path: remove the parameter or field \"rule\".");
            }
            Map<String, Object> body = operation.get();
            if (body == null) {
                throw new UnknownRuleException(DidYouMean.ask(rule, endpoint.names()));
            }
            return body;
        });
    }

    private static WebEndpointResponse<Map<String, Object>> response(Supplier<Map<String, Object>> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (UnknownRuleException unknown) {
            return new WebEndpointResponse<>(error(unknown), WebEndpointResponse.STATUS_NOT_FOUND);
        } catch (StaleVersionException stale) {
            return new WebEndpointResponse<>(error(stale), 409);
        } catch (ChangeStoreException | StorageUnavailableException unavailable) {
            String reason =
                    EXCEPTION.matcher(String.valueOf(unavailable.getMessage())).replaceAll("");
            return new WebEndpointResponse<>(Map.of("error", reason), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        } catch (LimiterConfigurationException wrong) {
            Map<String, Object> body = error(wrong);
            body.put(
                    "problems",
                    wrong.problems().stream().map(LimiterWebEndpoint::describe).toList());
            return new WebEndpointResponse<>(body, WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (IllegalArgumentException wrong) {
            return new WebEndpointResponse<>(error(wrong), WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private static final class UnknownRuleException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnknownRuleException(String meant) {
            super("Unknown rule." + meant, null, false, false);
        }
    }

    private static Map<String, Object> error(RuntimeException failure) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("error", String.valueOf(failure.getMessage()));
        return body;
    }

    private static Map<String, String> describe(Problem problem) {
        return Map.of(
                "code",
                problem.code().toString(),
                "where",
                problem.where(),
                "value",
                problem.value() == null ? "" : problem.value().toString(),
                "reason",
                problem.reason());
    }
}
