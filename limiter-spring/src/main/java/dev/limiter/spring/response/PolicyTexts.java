package dev.limiter.spring.response;

import dev.limiter.Rule;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Caches the {@link PolicyText} of each rule. Thread-safe. */
public final class PolicyTexts {

    /** More than an application has. When it is reached after many changes of rules, the cache is cleared. */
    private static final int MAX_REMEMBERED = 10_000;

    private final ConcurrentMap<Rule, PolicyText> texts = new ConcurrentHashMap<>();

    public PolicyText of(Rule rule) {
        PolicyText known = texts.get(rule);
        if (known != null) {
            return known;
        }
        if (texts.size() >= MAX_REMEMBERED) {
            texts.clear();
        }
        return texts.computeIfAbsent(rule, PolicyText::of);
    }
}
