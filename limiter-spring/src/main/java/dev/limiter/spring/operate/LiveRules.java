package dev.limiter.spring.operate;

import dev.limiter.TimeSource;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.operate.ChangeFitting.Configuration;
import dev.limiter.spring.operate.ChangeFitting.Fitting;
import dev.limiter.spring.operate.Changes.Target;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The current rules: configuration and annotations with the changes of operators. They are compiled together and
 * replaced as a whole; used permits stay used. Changes that do not fit the configuration are skipped. Thread-safe.
 * Changes wait for each other; decisions never wait for changes.
 */
public final class LiveRules {

    private static final Log logger = LogFactory.getLog(LiveRules.class);

    /** The most attempts to store a change while other instances change rules. */
    private static final int ATTEMPTS = 10;

    private final Rules rules;
    private final Mode configuredMode;
    private final MethodLimits methods;
    private final ChangeFitting compiler;
    private final ChangeStore store;
    private final TimeSource clock;
    private final Consumer<RulesChanged> listener;

    private volatile Configuration configuration;
    private volatile Changes changes = Changes.NONE;
    private volatile Fitting fitting;
    private volatile Instant fittedAt;

    /** The reason why the last configuration was rejected; null if it applies. */
    private volatile @Nullable Trouble misconfigured;

    /** The reason why stored changes are unreadable; null if they are readable. */
    private volatile @Nullable Trouble unreadable;

    /** The skipped changes that were logged last. */
    private String logged = "";

    /**
     * A configuration or change that is not applied.
     *
     * @param since the time when it was first detected
     */
    public record Trouble(String reason, Instant since) {}

    /**
     * @param rules the configured rules
     * @param defaultLimit the automatic limit
     * @param excluded the paths that no rule applies to
     * @param clock the clock that ends changes
     * @param listener receives each applied change
     */
    public LiveRules(
            Rules rules,
            RuleSetCompiler compiler,
            MethodLimits methods,
            @Nullable RuleDefinition defaultLimit,
            Setting<List<String>> excluded,
            ChangeStore store,
            TimeSource clock,
            Consumer<RulesChanged> listener) {
        this.rules = rules;
        this.configuredMode = compiler.mode();
        this.methods = methods;
        this.compiler = new ChangeFitting(rules, compiler, methods);
        this.configuration = new Configuration(rules.current().definitions(), defaultLimit, excluded);
        this.fitting = new Fitting(rules.current(), Map.of());
        this.store = store;
        this.clock = clock;
        this.fittedAt = now();
        this.listener = listener;
    }

    /**
     * Returns all rules with a limit: configured rules, rules of annotated methods that were found so far, and the
     * automatic limit. Omits configured rules without paths that complete annotations.
     */
    public List<RateLimitRule> all() {
        return all(rules.current());
    }

    private List<RateLimitRule> all(RuleSet set) {
        List<RateLimitRule> ofMethods = methods.rules(set);
        Set<String> annotated =
                ofMethods.stream().map(rule -> RuleName.canonical(rule.name())).collect(Collectors.toSet());
        Stream<RateLimitRule> others = set.rules().stream()
                .filter(rule -> rule.appliesByPath() || !annotated.contains(RuleName.canonical(rule.name())))
                .filter(rule -> !(rule.definition().origin() instanceof ChangeOrigin));
        return Stream.of(others, ofMethods.stream(), set.defaultLimit().stream())
                .flatMap(some -> some)
                .toList();
    }

    /** Returns the rules with a name in any spelling; several if annotations share the name. */
    public List<RateLimitRule> named(String name) {
        return named(name, rules.current());
    }

    private List<RateLimitRule> named(String name, RuleSet set) {
        String canonical = RuleName.canonical(name);
        return all(set).stream()
                .filter(rule -> RuleName.canonical(rule.name()).equals(canonical))
                .toList();
    }

    /**
     * Returns the configured settings with changes; empty if the rule exists only in annotations.
     */
    public Optional<RuleDefinition> definition(String name) {
        return rules.current()
                .definition(name)
                .or(() -> Optional.ofNullable(
                        RuleName.canonical(name).equals(RuleName.DEFAULT) ? configuration.defaultLimit() : null));
    }

    /** Returns all changes that have not expired, including skipped ones. */
    public Changes changes() {
        return changes.at(now());
    }

    /**
     * Returns the skipped changes with the reasons: they do not fit the configuration, or their rule is unknown.
     */
    public Map<Target, String> skipped() {
        Changes current = changes();
        Map<Target, String> skipped = new LinkedHashMap<>();
        if (!current.all().isEmpty()) {
            Set<String> known =
                    all().stream().map(rule -> RuleName.canonical(rule.name())).collect(Collectors.toSet());
            known.add(Changes.ALL_RULES.rule());
            current.all().keySet().forEach(target -> {
                LimiterConfigurationException failure = fitting.skipped().get(target);
                if (failure != null) {
                    skipped.put(target, String.valueOf(failure.getMessage()));
                } else if (!known.contains(target.rule())) {
                    skipped.put(target, "No rule has this name. Revert the change, or add the rule.");
                }
            });
        }
        return skipped;
    }

    /** Returns the mode of all rules; the mode of a rule applies if it is weaker. */
    public Mode mode() {
        Setting<Mode> changed = rules.current().mode();
        return changed == null ? configuredMode : changed.value();
    }

    /** Returns the number of changes, including the ones of other instances that share them. */
    public long version() {
        return changes.version();
    }

    /** Returns why the last configuration or a change is not applied; empty if all are. */
    public Optional<String> problem() {
        return trouble().map(Trouble::reason);
    }

    /** Returns the {@link #problem} and its start; empty if there is none. */
    public Optional<Trouble> trouble() {
        return Optional.ofNullable(misconfigured)
                .or(() -> Optional.ofNullable(unreadable))
                .or(() -> Optional.of(new Trouble(text(skipped()), fittedAt))
                        .filter(some -> !some.reason().isEmpty()));
    }

    private static String text(Map<Target, String> skipped) {
        return skipped.entrySet().stream()
                .map(each -> each.getKey().rule() + ": a change is skipped. " + each.getValue())
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    /** Returns a description of the place where changes are stored. */
    public String changesKeptIn() {
        return store.place();
    }

    /** Returns a trouble that keeps its start if the reason is unchanged. */
    private Trouble trouble(@Nullable Trouble before, String reason) {
        return before != null && before.reason().equals(reason) ? before : new Trouble(reason, now());
    }

    /**
     * Applies another configuration together with the current changes; returns false if it is the same.
     *
     * @param definitions the definitions of all rules
     * @param automatic the automatic limit
     * @param exclude the paths that no rule applies to
     * @throws LimiterConfigurationException if it is invalid; nothing changes then
     */
    public synchronized boolean configure(
            Collection<RuleDefinition> definitions, @Nullable RuleDefinition automatic, Setting<List<String>> exclude) {
        Configuration next = new Configuration(List.copyOf(definitions), automatic, exclude);
        if (!next.equals(configuration)) {
            compiler.fit(next, Changes.NONE); // It must be valid without changes.
            misconfigured = null;
            configuration = next;
            Changes current = changes();
            putInForce(current, compiler.fit(next, current));
            return true;
        }
        misconfigured = null;
        return false;
    }

    /** Records why the latest configuration is not applied. */
    public void configurationFailed(String reason) {
        misconfigured = trouble(misconfigured, reason);
    }

    /**
     * Changes a rule or some of its keys, merging over earlier changes.
     *
     * @param keys null for the whole rule
     * @param madeFor the version that the author has seen; null for any
     * @return the version of the rules with this change
     * @throws StaleVersionException if the rules now have another version
     * @throws LimiterConfigurationException if the changed rule would be invalid; nothing changes then
     * @throws ChangeStoreException if the change cannot be stored
     */
    public synchronized long change(
            String rule, @Nullable Collection<String> keys, Change change, @Nullable Long madeFor) {
        if (change.settings().isEmpty()) {
            throw problem(rule, null, "The change is empty. Send limit, window, burst, mode or rollout.");
        }
        List<Target> targets = keys == null
                ? List.of(new Target(rule, null))
                : keys.stream().map(key -> new Target(rule, key)).toList();
        return update(madeFor, before -> before.with(targets, change), (next, fit) -> check(rule, change, next, fit));
    }

    /**
     * Changes the mode of all rules like {@link #change}.
     *
     * @return the version of the rules with this change
     * @throws LimiterConfigurationException if it changes anything else, or the mode is invalid
     */
    public long changeAll(Change change, @Nullable Long madeFor) {
        change.modeOfAll();
        return update(madeFor, before -> before.with(List.of(Changes.ALL_RULES), change), (next, fit) -> {});
    }

    /** Checks that the change fits, that it makes no earlier change invalid, and that a changed mode takes effect. */
    private void check(String rule, Change change, Changes next, Fitting fit) {
        Set<Target> known = fitting.skipped().keySet();
        fit.skipped().forEach((target, failure) -> {
            Change skipped = next.all().get(target);
            if (skipped != null && (skipped.version() == next.version() || !known.contains(target))) {
                throw unmade(failure, skipped, rule);
            }
        });
        String mode = change.settings().get(RuleOptions.MODE.name());
        named(rule, fit.compiled()).stream()
                .map(each -> EnumText.of(each.mode()))
                .filter(inForce -> mode != null && !inForce.equalsIgnoreCase(mode.strip()))
                .findFirst()
                .ifPresent(inForce -> {
                    throw problem(
                            RuleOptions.MODE.name(),
                            mode,
                            "The mode of all rules is " + inForce + " (limiter.mode). The weaker mode wins, so the"
                                    + " rule would stay in mode " + inForce + ". To change the mode of all"
                                    + " rules, POST to the endpoint without a rule.");
                });
    }

    private static LimiterConfigurationException problem(String where, @Nullable String value, String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.CHANGE, where, value, reason));
    }

    /** Returns the problems of a rejected change, at the sent settings or at the rule. */
    private static LimiterConfigurationException unmade(
            LimiterConfigurationException rejected, Change change, String rule) {
        String behind = change.origin().of("");
        return rejected.at(place -> {
            if (place.equals(change.origin().toString())) {
                return rule;
            }
            return place.endsWith(behind) ? place.substring(0, place.length() - behind.length()) : place;
        });
    }

    /**
     * Reverts changes to the configuration. Does nothing if there are none.
     *
     * @return the new version of the rules
     * @throws StaleVersionException as for {@link #change}
     * @throws ChangeStoreException as for {@link #change}
     */
    public long revert(Predicate<Target> targets, @Nullable Long madeFor) {
        return update(madeFor, before -> before.without(targets), (next, fit) -> {});
    }

    private synchronized long update(
            @Nullable Long madeFor, UnaryOperator<Changes> step, BiConsumer<Changes, Fitting> check) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            refresh();
            Changes before = changes();
            if (madeFor != null && madeFor != before.version()) {
                throw new StaleVersionException(madeFor, before.version());
            }
            Changes next = step.apply(before);
            if (next.version() == before.version()) {
                return before.version();
            }
            Fitting fit = compiler.fit(configuration, next);
            check.accept(next, fit);
            if (store.save(next)) {
                putInForce(next, fit);
                return next.version();
            }
        }
        throw new ChangeStoreException("Too many concurrent changes; try again.", null);
    }

    /**
     * Applies the changes of other instances, and ends expired changes.
     *
     * @throws ChangeStoreException if the stored changes are unreadable; the current ones stay applied
     */
    public synchronized void refresh() {
        Changes stored = load();
        boolean over = changes.firstEnd().filter(end -> !end.isAfter(now())).isPresent();
        if (stored == null && !over) {
            return;
        }
        Changes next = (stored == null ? changes : stored).at(now());
        if (next.version() < changes.version()) {
            logger.warn("Stored changes of rules went back from version " + changes.version() + " to " + next.version()
                    + ": later changes are lost. Apply them again if they are still needed.");
        }
        putInForce(next, compiler.fit(configuration, next));
    }

    private @Nullable Changes load() {
        try {
            Changes stored = store.load(changes);
            unreadable = null;
            return stored;
        } catch (ChangeStoreException failure) {
            unreadable = trouble(unreadable, String.valueOf(failure.getMessage()));
            throw failure;
        }
    }

    /** Returns the time of the clock that ends changes. */
    public Instant now() {
        return Instant.EPOCH.plus(Duration.ofNanos(clock.epochNanos()));
    }

    private void putInForce(Changes next, Fitting fit) {
        changes = next;
        fitting = fit;
        fittedAt = now();
        rules.replace(fit.compiled());
        String skipped = text(skipped());
        if (!skipped.isEmpty() && !skipped.equals(logged)) {
            logger.warn("Some changes of rules are not applied. Correct or revert them:\n" + skipped);
        }
        logged = skipped;
        try {
            listener.accept(new RulesChanged(
                    next.version(),
                    next.all().keySet().stream().map(Target::rule).collect(Collectors.toSet())));
        } catch (RuntimeException failure) {
            logger.warn("A listener for RulesChanged failed; the change is applied", failure);
        }
    }
}
