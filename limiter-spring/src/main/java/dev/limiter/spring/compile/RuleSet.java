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
    private final @Nullable RateLimitRule defaultLimit;
    private final @Nullable PathPatterns excluded;
    private final @Nullable Setting<Mode> mode;
    private final Map<String, OnFailure> onFailure = new HashMap<>();
    private final Map<String, Integer> leases = new HashMap<>();

    /** {@code mode}: of all rules, in place of that of the configuration; null for that. */
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
        this.defaultLimit = defaultLimit;
        this.excluded = excluded;
        this.mode = mode;
        if (defaultLimit != null) {
            addTerms(defaultLimit.definition());
        }
    }

    /** The options that a remote storage reads, by the exact name of the rule. */
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
     * The way of a rule to go on while a storage that all instances share does not decide. Bans always go on in memory:
     * an outage bans no client.
     *
     * @param otherwise of rules that do not set it
     */
    public OnFailure onFailure(Rule rule, OnFailure otherwise) {
        return Ban.isPart(rule) ? OnFailure.LOCAL : onFailure.getOrDefault(rule.name(), otherwise);
    }

    /** The share of its limits, in percent, that the rule of exactly that name has taken ahead; 0 for none. */
    public int lease(String name) {
        return leases.getOrDefault(name, 0);
    }

    /** All rules with a limit, with and without paths, but not the automatic limit. */
    public List<RateLimitRule> rules() {
        return List.copyOf(rules.values());
    }

    /** The raw settings of all rules but the automatic limit, also of those whose limit is only in an annotation. */
    public List<RuleDefinition> definitions() {
        return List.copyOf(definitions.values());
    }

    /** The rules that apply by their paths, whenever they decide. */
    public List<RateLimitRule> pathRules() {
        return pathRules;
    }

    /** The rules that decide as soon as a request arrives, unless they are off. */
    public List<RateLimitRule> requestRules() {
        return requestRules;
    }

    /** The rule of that name, in any case and with any dashes; none if its limit is only in an annotation. */
    public Optional<RateLimitRule> find(String name) {
        return Optional.ofNullable(rules.get(RuleName.canonical(name)));
    }

    /** The raw settings under that name, in any case and with any dashes, to merge over those of an annotation. */
    public Optional<RuleDefinition> definition(String name) {
        return Optional.ofNullable(definitions.get(RuleName.canonical(name)));
    }

    /** The mode of all rules, in place of that of the configuration; null for that. */
    public @Nullable Setting<Mode> mode() {
        return mode;
    }

    /** The automatic limit, of each endpoint that no other rule limits. */
    public Optional<RateLimitRule> defaultLimit() {
        return Optional.ofNullable(defaultLimit);
    }

    /**
     * Whether {@code limiter.web.exclude} exempts the request from all rules; parameters as in {@link
     * RequestMatcher#matches}.
     */
    public boolean excludes(String endpointPattern, PathContainer path) {
        return excluded != null && excluded.coverSafely(endpointPattern, path);
    }

    /**
     * Whether {@code limiter.web.exclude} exempts the request from all rules, in whichever of these ways its path is
     * read.
     */
    public boolean excludes(List<PathContainer> paths) {
        return excluded != null && paths.stream().allMatch(path -> excluded.coverSafely("", path));
    }

    /** The answer of {@link #excludes} for all paths of an endpoint, if that is always the same. */
    public Coverage exclusion(String endpointPattern) {
        return excluded == null ? Coverage.NONE : excluded.coverage(endpointPattern);
    }
}
