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
 * The rules in force: those of the configuration and of annotations, with what operators have changed. All are compiled
 * together and replaced as a whole; what keys have used stays used. A change that does not fit the configuration is
 * skipped. Thread-safe; changes wait for each other, decisions never for a change.
 */
public final class LiveRules {

    private static final Log logger = LogFactory.getLog(LiveRules.class);

    /** How often a change is tried while other instances are faster. */
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

    /** Why the last configuration is not in force; null if it is. */
    private volatile @Nullable Trouble misconfigured;

    /** Why the stored changes cannot be read; null if they can. */
    private volatile @Nullable Trouble unreadable;

    /** The skipped changes in the log. */
    private String logged = "";

    /**
     * Why something is not in force.
     *
     * @param since when it was found first
     */
    public record Trouble(String reason, Instant since) {}

    /**
     * @param rules as they are configured
     * @param defaultLimit of them, the automatic limit
     * @param excluded the paths that no rule applies to
     * @param clock by which changes end
     * @param listener receives each change that is in force
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
     * All that have a limit: the configured ones, those of annotated methods that were found so far, the automatic one.
     * A configured rule without paths is only there to complete annotations, if some have its name.
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

    /** The rules of a name, in any case and with any dashes: several where annotations on methods share it. */
    public List<RateLimitRule> named(String name) {
        return named(name, rules.current());
    }

    private List<RateLimitRule> named(String name, RuleSet set) {
        String canonical = RuleName.canonical(name);
        return all(set).stream()
                .filter(rule -> RuleName.canonical(rule.name()).equals(canonical))
                .toList();
    }

    /** The raw settings of the configuration, with what is changed; empty if the rule is in annotations alone. */
    public Optional<RuleDefinition> definition(String name) {
        return rules.current()
                .definition(name)
                .or(() -> Optional.ofNullable(
                        RuleName.canonical(name).equals(RuleName.DEFAULT) ? configuration.defaultLimit() : null));
    }

    /** All changes that are not over, also those that are skipped. */
    public Changes changes() {
        return changes.at(now());
    }

    /** The changes that are not in force, and why: they do not fit the configuration, or their rule is unknown. */
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
                    skipped.put(target, "There is no rule of this name.");
                }
            });
        }
        return skipped;
    }

    /** The mode of all rules; that of a rule counts if it is weaker. */
    public Mode mode() {
        Setting<Mode> changed = rules.current().mode();
        return changed == null ? configuredMode : changed.value();
    }

    /** How often rules were changed, here or in instances that share the changes. */
    public long version() {
        return changes.version();
    }

    /** Why the last configuration or a change is not in force; empty if they are. */
    public Optional<String> problem() {
        return trouble().map(Trouble::reason);
    }

    /** The {@link #problem} and since when there is one; empty if there is none. */
    public Optional<Trouble> trouble() {
        return Optional.ofNullable(misconfigured)
                .or(() -> Optional.ofNullable(unreadable))
                .or(() -> Optional.of(new Trouble(text(skipped()), fittedAt))
                        .filter(some -> !some.reason().isEmpty()));
    }

    private static String text(Map<Target, String> skipped) {
        return skipped.entrySet().stream()
                .map(each -> each.getKey().rule() + ": A change is skipped. " + each.getValue())
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    /** Where changes are kept, for people. */
    public String changesKeptIn() {
        return store.place();
    }

    /** Keeps the start of unchanged trouble. */
    private Trouble trouble(@Nullable Trouble before, String reason) {
        return before != null && before.reason().equals(reason) ? before : new Trouble(reason, now());
    }

    /**
     * Puts another configuration in force, with the changes that there are; returns false if it is the same.
     *
     * @param definitions of all rules
     * @param automatic the automatic limit
     * @param exclude the paths that no rule applies to
     * @throws LimiterConfigurationException if it cannot work; all stays as it is
     */
    public synchronized boolean configure(
            Collection<RuleDefinition> definitions, @Nullable RuleDefinition automatic, Setting<List<String>> exclude) {
        Configuration next = new Configuration(List.copyOf(definitions), automatic, exclude);
        if (!next.equals(configuration)) {
            compiler.fit(next, Changes.NONE); // a change must not be what makes it work
            misconfigured = null;
            configuration = next;
            Changes current = changes();
            putInForce(current, compiler.fit(next, current));
            return true;
        }
        misconfigured = null;
        return false;
    }

    /** Remembers why the configuration that there is now is not in force. */
    public void configurationFailed(String reason) {
        misconfigured = trouble(misconfigured, reason);
    }

    /**
     * Changes a rule, or keys of it, on top of their earlier changes.
     *
     * @param keys null for the whole rule
     * @param madeFor the version that the author of the change has seen; any if null
     * @return the version of the rules with this change
     * @throws StaleVersionException if the rules have another one by now
     * @throws LimiterConfigurationException if the rule cannot be as it would be then; all stays as it is
     * @throws ChangeStoreException if the change cannot be stored
     */
    public synchronized long change(
            String rule, @Nullable Collection<String> keys, Change change, @Nullable Long madeFor) {
        if (change.settings().isEmpty()) {
            throw problem(rule, null, "There is nothing to change: set limit, window, burst, mode or rollout.");
        }
        List<Target> targets = keys == null
                ? List.of(new Target(rule, null))
                : keys.stream().map(key -> new Target(rule, key)).toList();
        return update(madeFor, before -> before.with(targets, change), (next, fit) -> check(rule, change, next, fit));
    }

    /**
     * Changes the mode of all rules; otherwise as {@link #change}.
     *
     * @return the version of the rules with this change
     * @throws LimiterConfigurationException if it changes something else, or is no mode
     */
    public long changeAll(Change change, @Nullable Long madeFor) {
        change.modeOfAll();
        return update(madeFor, before -> before.with(List.of(Changes.ALL_RULES), change), (next, fit) -> {});
    }

    /** No change that was in force may become one that does not fit, and the mode has to be the one asked for. */
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
                            "The mode of all rules is " + inForce + " (limiter.mode), and the weaker mode wins: the"
                                    + " rule would stay in mode " + inForce + ". A POST to the endpoint without a rule"
                                    + " changes the mode of all.");
                });
    }

    private static LimiterConfigurationException problem(String where, @Nullable String value, String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.CHANGE, where, value, reason));
    }

    /** The problems of a change that was never made, at the settings that were sent, or else at the rule. */
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
     * Reverts changes to the configuration; nothing happens if there are none.
     *
     * @return the version of the rules then
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
     * Puts in force what other instances have changed, and ends the changes that are over.
     *
     * @throws ChangeStoreException if the stored changes cannot be read now; those in force stay
     */
    public synchronized void refresh() {
        Changes stored = load();
        boolean over = changes.firstEnd().filter(end -> !end.isAfter(now())).isPresent();
        if (stored == null && !over) {
            return;
        }
        Changes next = (stored == null ? changes : stored).at(now());
        if (next.version() < changes.version()) {
            logger.warn("The changes of rules go back from version " + changes.version() + " to " + next.version()
                    + ": where they are stored, the later ones are lost");
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

    /** The time of the clock that ends changes. */
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
            logger.warn("Changes of rules are not in force:\n" + skipped);
        }
        logged = skipped;
        try {
            listener.accept(new RulesChanged(
                    next.version(),
                    next.all().keySet().stream().map(Target::rule).collect(Collectors.toSet())));
        } catch (RuntimeException failure) {
            logger.warn("A listener of changed rules failed; the change stands", failure);
        }
    }
}
