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

/**
 * {@link LimiterEndpoint} over HTTP: what is wrong with a request is told in the body of 400, 404 or 409. Thread-safe.
 */
@EndpointWebExtension(endpoint = LimiterEndpoint.class)
public final class LimiterWebEndpoint {

    /** In the place of a rule, with the path of a request. */
    static final String EXPLAIN = "explain";

    /** The name of an exception in the message of another one. */
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

    /** One rule, where a key of it stands, or {@code explain} with the words of {@link RequestExplanations}. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> rule(
            @Selector String rule, @Nullable String key, @Nullable String resource, @Nullable String suggest) {
        Map<String, List<String>> words = exchange.parameters();
        if (rule.equals(EXPLAIN) && (words.containsKey("path") || endpoint.rule(rule, null, null, null) == null)) {
            return answer(rule, () -> explanations.of(words));
        }
        return answer(rule, () -> {
            checkSaidOnce(words);
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
        return answer(() -> {
            checkInBody(exchange.parameters());
            return endpoint.changeAll(mode, until, version, reason, operator);
        });
    }

    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> restoreAll(
            @Nullable String version, @Nullable String reason, SecurityContext operator) {
        return answer(() -> {
            checkSaidOnce(exchange.parameters());
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
        return answer(rule, () -> {
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
        return answer(rule, () -> {
            checkSaidOnce(exchange.parameters());
            return endpoint.restore(rule, key, resource, override, version, reason, operator);
        });
    }

    /** Actuator would make one text of several, with commas: another key. */
    private static void checkSaidOnce(Map<String, List<String>> words) {
        words.forEach((word, values) -> {
            if (values.size() > 1) {
                throw new IllegalArgumentException(
                        "\"" + word + "\" is given " + values.size() + " times; say it once.");
            }
        });
    }

    /** Actuator would prefer a word of the URL to that of the body: a change of another key. */
    private static void checkInBody(Map<String, List<String>> words) {
        if (!words.isEmpty()) {
            throw new IllegalArgumentException("A change is said in the body alone; leave out of the URL: "
                    + String.join(", ", words.keySet()) + ".");
        }
    }

    private WebEndpointResponse<Map<String, Object>> answer(
            String rule, Supplier<? extends @org.jspecify.annotations.Nullable Map<String, Object>> operation) {
        return answer(() -> {
            if (!exchange.isAbout(rule)) {
                throw new IllegalArgumentException(
                        "The path says which rule this is about: leave out the parameter or field called rule.");
            }
            Map<String, Object> body = operation.get();
            if (body == null) {
                throw new UnknownRuleException(DidYouMean.ask(rule, endpoint.names()));
            }
            return body;
        });
    }

    private static WebEndpointResponse<Map<String, Object>> answer(Supplier<Map<String, Object>> operation) {
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

    /** No rule has the name in the path. */
    private static final class UnknownRuleException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnknownRuleException(String meant) {
            super("There is no such rule." + meant, null, false, false);
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
