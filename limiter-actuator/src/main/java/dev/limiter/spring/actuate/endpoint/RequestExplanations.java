package dev.limiter.spring.actuate.endpoint;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.RequestDescription;
import dev.limiter.spring.operate.RequestExplainer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Explains which rules apply to a request that an operator describes. Thread-safe. */
public final class RequestExplanations {

    private final @Nullable RequestExplainer explainer;
    private final KeyHash hash;

    /** @param explainer null if no HTTP requests are limited */
    public RequestExplanations(@Nullable RequestExplainer explainer, KeyHash hash) {
        this.explainer = explainer;
        this.hash = hash;
    }

    /**
     * Returns an explanation as a map of texts and numbers.
     *
     * @param words the parameters of {@link RequestDescription#of}
     * @throws IllegalArgumentException if they do not describe a request
     */
    Map<String, Object> of(Map<String, List<String>> words) {
        if (explainer == null) {
            throw new IllegalArgumentException(
                    "Only requests to Spring MVC and WebFlux can be explained, and only if limiter.web.enabled is true.");
        }
        RequestDescription request = RequestDescription.of(words);
        Explanation explanation = explainer.explain(request);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("request", request.method() + " " + request.path());
        put(body, "client", explanation.client());
        put(body, "principal", request.principal());
        put(body, "resource", explanation.resource());
        put(body, "handler", explanation.handler());
        body.put("result", EnumText.of(explanation.result()));
        body.put("rules", explanation.rules().stream().map(this::describe).toList());
        return body;
    }

    private Map<String, Object> describe(ExplainedRule explained) {
        RateLimitRule rule = explained.rule();
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("rule", rule.name());
        body.put("origin", rule.origin());
        body.put("applies", explained.result() != null);
        body.put("because", explained.because());
        if (explained.result() != null) {
            body.put("phase", EnumText.of(rule.phase()));
            body.put("mode", EnumText.of(rule.mode()));
            body.put("result", EnumText.of(explained.result()));
            put(body, "detail", explained.queueFull() ? "the queue is full" : explained.detail());
        }
        ResolvedKey key = explained.key();
        Charge charge = explained.charge();
        Decision standing = explained.standing();
        if (key == null || charge == null || standing == null) {
            return body;
        }
        body.put("key", rule.keyParts());
        body.put("keyHash", hash.of(key.text()));
        body.put("sharedByAllWithoutOne", key.unresolved());
        put(body, "tier", rule.tierOf(charge.rule()));
        RuleDescription.putOnFailure(body, standing);
        List<Map<String, Object>> limits = RuleDescription.limits(standing);
        for (int i = 0; i < limits.size(); i++) {
            limits.get(i).put("cost", charge.permits(i));
            if (explained.queueFull()) {
                limits.get(i).put("permitted", false);
            }
        }
        body.put("limits", limits);
        return body;
    }

    private static void put(Map<String, Object> body, String name, @Nullable Object value) {
        if (value != null) {
            body.put(name, value);
        }
    }
}
