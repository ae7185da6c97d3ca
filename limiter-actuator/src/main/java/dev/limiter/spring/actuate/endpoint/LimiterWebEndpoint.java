package dev.limiter.spring.actuate.endpoint;

import dev.limiter.failover.StorageUnavailableException;
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

    public LimiterWebEndpoint(LimiterEndpoint endpoint, RequestExplanations explanations) {
        this.endpoint = endpoint;
        this.explanations = explanations;
    }

    /** Returns whether parameters describe a request to explain, rather than a rule of this name. */
    boolean explains(Map<String, Object> parameters) {
        return EXPLAIN.equals(parameters.get("rule"))
                && (parameters.containsKey("path") || endpoint.rule(EXPLAIN, null, null, null) == null);
    }

    /** Returns the explanation of a request; not an operation, because its parameters have any name. */
    WebEndpointResponse<Map<String, Object>> explain(Map<String, List<String>> request) {
        return response(() -> explanations.of(request));
    }

    /** Returns a rule, or the state of a key. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> rule(
            @Selector String rule, @Nullable String key, @Nullable String resource, @Nullable String suggest) {
        return response(rule, () -> endpoint.rule(rule, key, resource, suggest));
    }

    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> changeAll(
            @Nullable String mode,
            @Nullable String until,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return response(() -> endpoint.changeAll(mode, until, version, reason, operator));
    }

    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> restoreAll(
            @Nullable String version, @Nullable String reason, SecurityContext operator) {
        return response(() -> endpoint.restoreAll(version, reason, operator));
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
        return response(
                rule,
                () -> endpoint.change(
                        rule, named, limit, window, burst, mode, rollout, key, resource, ban, until, observe, version,
                        reason, operator));
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
        return response(rule, () -> endpoint.restore(rule, key, resource, override, version, reason, operator));
    }

    private WebEndpointResponse<Map<String, Object>> response(
            String rule, Supplier<? extends @org.jspecify.annotations.Nullable Map<String, Object>> operation) {
        return response(() -> {
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
