package dev.limiter.spring.compile;

import dev.limiter.OnFailure;
import dev.limiter.Rule;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** All rules, compiled. Immutable. */
public final class RuleSet {

    private final Map<String, RuleDefinition> definitions = new LinkedHashMap<>();
    private final Map<String, RateLimitRule> rules = new LinkedHashMap<>();
    private final List<RateLimitRule> pathRules;
    private final List<RateLimitRule> requestRules;
    private final boolean needsRoutes;
    private final @Nullable RateLimitRule defaultLimit;
    private final @Nullable PathPatterns excluded;
    private final @Nullable Setting<Mode> mode;
    private final Map<String, OnFailure> onFailure = new HashMap<>();
    private final Map<String, Integer> leases = new HashMap<>();

    /** {@code mode}: the changed mode of all rules; null if it is the configured one. */
    public RuleSet(
            Collection<RuleDefinition> definitions,
            Collection<RateLimitRule> rules,
            @Nullable RateLimitRule defaultLimit,
            @Nullable PathPatterns excluded,
            @Nullable Setting<Mode> mode) {
        definitions.forEach(definition -> {
            this.definitions.put(RuleName.canonical(definition.name()), definition);
            addTerms(definition);
        });
        rules.forEach(rule -> this.rules.put(RuleName.canonical(rule.name()), rule));
        this.pathRules = rules.stream().filter(RateLimitRule::appliesByPath).toList();
        this.requestRules = pathRules.stream()
                .filter(rule -> rule.phase() == Phase.REQUEST && rule.mode() != Mode.OFF)
                .toList();
        this.needsRoutes = pathRules.stream().anyMatch(rule -> rule.matcher().needsRoute());
        this.defaultLimit = defaultLimit;
        this.excluded = excluded;
        this.mode = mode;
        if (defaultLimit != null) {
            addTerms(defaultLimit.definition());
        }
    }

    /** Records the options that a remote storage reads, by the exact name of the rule. */
    private void addTerms(RuleDefinition definition) {
        OnFailure how = definition.value(RuleOptions.ON_FAILURE);
        if (how != null) {
            onFailure.put(definition.name(), how);
        }
        String lease = definition.value(RuleOptions.LEASE);
        if (lease != null && lease.strip().matches("[1-9][0-9]?%")) {
            leases.put(definition.name(), Integer.valueOf(lease.replace("%", "").strip()));
        }
    }

    /**
     * Returns how a rule decides while shared storage is unavailable. Bans always continue in memory, so an outage bans
     * no client.
     *
     * @param otherwise the default for rules that do not set it
     */
    public OnFailure onFailure(Rule rule, OnFailure otherwise) {
        return Ban.isPart(rule) ? OnFailure.LOCAL : onFailure.getOrDefault(rule.name(), otherwise);
    }

    /** Returns the lease of the rule with exactly this name, in percent of its limits; 0 for none. */
    public int lease(String name) {
        return leases.getOrDefault(name, 0);
    }

    /** Returns all rules with a limit, with and without paths, but not the automatic limit. */
    public List<RateLimitRule> rules() {
        return List.copyOf(rules.values());
    }

    /**
     * Returns the settings of all rules except the automatic limit. Includes rules without a limit, which complete
     * annotations.
     */
    public List<RuleDefinition> definitions() {
        return List.copyOf(definitions.values());
    }

    /** Returns the rules that apply by their paths, of both phases. */
    public List<RateLimitRule> pathRules() {
        return pathRules;
    }

    /** Returns the rules with {@code phase: request} that are not off. */
    public List<RateLimitRule> requestRules() {
        return requestRules;
    }

    /** Returns whether a rule is only for requests of gateway routes. */
    public boolean needsRoutes() {
        return needsRoutes;
    }

    /** Returns the rule with this name in any spelling; empty if its limit is only in an annotation. */
    public Optional<RateLimitRule> find(String name) {
        return Optional.ofNullable(rules.get(RuleName.canonical(name)));
    }

    /** Returns the settings under this name in any spelling, to merge over an annotation. */
    public Optional<RuleDefinition> definition(String name) {
        return Optional.ofNullable(definitions.get(RuleName.canonical(name)));
    }

    /** Returns the changed mode of all rules; null if it is the configured one. */
    public @Nullable Setting<Mode> mode() {
        return mode;
    }

    /** Returns the automatic limit, for endpoints without another limit. */
    public Optional<RateLimitRule> defaultLimit() {
        return Optional.ofNullable(defaultLimit);
    }

    /**
     * Returns whether {@code limiter.web.exclude} exempts the request from all rules; parameters as in {@link
     * RequestMatcher#matches}.
     */
    public boolean excludes(String endpointPattern, PathContainer path) {
        return excluded != null && excluded.coverSafely(endpointPattern, path);
    }

    /**
     * Returns whether {@code limiter.web.exclude} exempts the request from all rules, by every reading of its path.
     */
    public boolean excludes(List<PathContainer> paths) {
        return excluded != null && paths.stream().allMatch(path -> excluded.coverSafely("", path));
    }

    /** Returns how {@code limiter.web.exclude} covers the paths of an endpoint. */
    public Coverage exclusion(String endpointPattern) {
        return excluded == null ? Coverage.NONE : excluded.coverage(endpointPattern);
    }
}
