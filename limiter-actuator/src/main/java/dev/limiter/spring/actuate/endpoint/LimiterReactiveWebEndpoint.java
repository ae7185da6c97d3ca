package dev.limiter.spring.actuate.endpoint;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;
import reactor.core.publisher.Mono;

/**
 * {@link LimiterWebEndpoint} on WebFlux. Operations return publishers, because only these have access to the request.
 * Thread-safe.
 */
@EndpointWebExtension(endpoint = LimiterEndpoint.class)
public final class LimiterReactiveWebEndpoint {

    private final LimiterWebEndpoint endpoint;
    private final Function<
                    Supplier<WebEndpointResponse<Map<String, Object>>>, Mono<WebEndpointResponse<Map<String, Object>>>>
            calls;

    /** {@code calls}: runs an operation where it may block, with its request. */
    public LimiterReactiveWebEndpoint(
            LimiterWebEndpoint endpoint,
            Function<Supplier<WebEndpointResponse<Map<String, Object>>>, Mono<WebEndpointResponse<Map<String, Object>>>>
                    calls) {
        this.endpoint = endpoint;
        this.calls = calls;
    }

    @ReadOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> rules() {
        return calls.apply(endpoint::rules);
    }

    @ReadOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> rule(
            @Selector String rule, @Nullable String key, @Nullable String resource, @Nullable String suggest) {
        return calls.apply(() -> endpoint.rule(rule, key, resource, suggest));
    }

    @WriteOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> changeAll(
            @Nullable String mode,
            @Nullable String until,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return calls.apply(() -> endpoint.changeAll(mode, until, version, reason, operator));
    }

    @DeleteOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> restoreAll(
            @Nullable String version, @Nullable String reason, SecurityContext operator) {
        return calls.apply(() -> endpoint.restoreAll(version, reason, operator));
    }

    @WriteOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> change(
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
        return calls.apply(() -> endpoint.change(
                rule, named, limit, window, burst, mode, rollout, key, resource, ban, until, observe, version, reason,
                operator));
    }

    @DeleteOperation
    public Mono<WebEndpointResponse<Map<String, Object>>> restore(
            @Selector String rule,
            @Nullable String key,
            @Nullable String resource,
            @Nullable Boolean override,
            @Nullable String version,
            @Nullable String reason,
            SecurityContext operator) {
        return calls.apply(() -> endpoint.restore(rule, key, resource, override, version, reason, operator));
    }
}
