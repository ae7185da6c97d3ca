package dev.limiter.spring.operate;

import dev.limiter.TimeSource;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.operate.ChangeFitting.Configuration;
import dev.limiter.spring.operate.ChangeFitting.Fitting;
import dev.limiter.spring.operate.ChangeFitting.Misfit;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force: those of the configuration and of annotations, with what operators have changed. A change is
 * compiled together with all other rules, the limits of annotated methods included, and takes effect whole or not at
 * all; what keys have used stays used. Thread-safe; changes wait for each other, decisions never for a change.
 */
public final class LiveRules {

    private static final Log logger = LogFactory.getLog(LiveRules.class);

    /** How often a change is tried while other instances are faster. */
    private static final int ATTEMPTS = 10;

    private final Rules rules;
    private final MethodLimits methods;
    private final ChangeFitting compiler;
    private final KeptChanges kept;
    private final TimeSource clock;
    private final Consumer<RulesChanged> listener;

    private volatile Configuration configuration;
    private volatile Fitting fitting;

    /** Why the last configuration is not in force; null if it is. */
    private volatile @Nullable Trouble misconfigured;

    /** Why the changes that are kept cannot be read; null if they can. */
    private volatile @Nullable Trouble unreadable;

    /** Why changes are not in force; null if all are. */
    private volatile @Nullable Trouble unfit;

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
     * @param store where changes are kept
     * @param clock by which overrides of keys end
     * @param listener is told of each change that is in force
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
        this.methods = methods;
        this.compiler = new ChangeFitting(rules, compiler, methods);
        this.configuration = Configuration.of(rules.current().definitions(), defaultLimit, excluded);
        this.fitting = new Fitting(rules.current(), List.of());
        this.kept = new KeptChanges(store);
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * All that have a limit: the configured ones, those of annotated methods that were found so far, the automatic one.
     * A configured rule without paths is only there to complete annotations, if some have its name.
     */
    public List<RateLimitRule> all() {
        RuleSet current = rules.current();
        List<RateLimitRule> ofMethods = methods.rules(current);
        Set<String> annotated =
                ofMethods.stream().map(rule -> RuleName.canonical(rule.name())).collect(Collectors.toSet());
        Stream<RateLimitRule> others = current.rules().stream()
                .filter(rule -> rule.appliesByPath() || !annotated.contains(RuleName.canonical(rule.name())))
                .filter(rule -> !(rule.definition().origin() instanceof ChangeOrigin));
        return Stream.of(others, ofMethods.stream(), current.defaultLimit().stream())
                .flatMap(some -> some)
                .toList();
    }

    /** The rules of a name, in any case and with any dashes: several where annotations on methods share it. */
    public List<RateLimitRule> named(String name) {
        String canonical = RuleName.canonical(name);
        return all().stream()
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

    /**
     * The changes under names without a rule: the rule is no longer configured, or its method has not been found so
     * far.
     */
    public Changes changesOfNoRule() {
        Changes changes = kept.current().at(now());
        Set<String> names = changes.names();
        all().forEach(rule -> names.remove(RuleName.canonical(rule.name())));
        return changes.only(names);
    }

    /** The changes that do not fit the rules of this instance, and are not in force. */
    public Changes unfitChanges() {
        return fitting.unfit().at(now());
    }

    /** The overrides of keys of a rule, whether or not they fit it. */
    public List<KeyOverride> overrides(String name) {
        return kept.current().at(now()).overridesOf(name);
    }

    /** The changes of a rule, the latest last, whether or not they fit it. */
    public List<RuleChange> changes(String name) {
        return kept.current().rules().getOrDefault(RuleName.canonical(name), List.of());
    }

    /** How often rules were changed or restored, here or in instances that share the changes. */
    public long version() {
        return kept.current().version();
    }

    /** The name of the {@link #version}, which no other one has. */
    public Revision revision() {
        return kept.current().revision();
    }

    /** Whether any setting of the rule is not as configured. */
    public boolean isChanged(String name) {
        return kept.current().change(name);
    }

    /**
     * Why the last changes that were made elsewhere, or the last configuration, are not in force; empty if they are.
     */
    public Optional<String> problem() {
        return trouble().map(Trouble::reason);
    }

    /** The {@link #problem} and since when there is one; empty if there is none. */
    public Optional<Trouble> trouble() {
        return Stream.of(
                        Optional.ofNullable(misconfigured),
                        Optional.ofNullable(unreadable),
                        Optional.ofNullable(unfit)
                                .filter(some -> !unfitChanges().names().isEmpty()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Where changes are kept, for people. */
    public String changesKeptIn() {
        return kept.place();
    }

    /** Keeps the start of unchanged trouble; another reason starts anew. */
    private @Nullable Trouble trouble(@Nullable Trouble before, @Nullable String reason) {
        if (reason == null || before != null && before.reason().equals(reason)) {
            return reason == null ? null : before;
        }
        return new Trouble(reason, now());
    }

    /**
     * Has another configuration be in force, with the changes that there are; false if it is the same.
     *
     * @param definitions of all rules
     * @param automatic the automatic limit
     * @param exclude the paths that no rule applies to
     * @throws LimiterConfigurationException if it cannot work; all stays as it is
     */
    public synchronized boolean configure(
            Collection<RuleDefinition> definitions, @Nullable RuleDefinition automatic, Setting<List<String>> exclude) {
        Configuration next = Configuration.of(definitions, automatic, exclude);
        if (next.equals(configuration)) {
            misconfigured = null;
            return false;
        }
        compiler.compile(next, Changes.NONE); // it has to work by itself; changes that do not fit it are told
        misconfigured = null;
        configuration = next;
        Changes changes = kept.current().at(now());
        putInForce(changes, compiler.fit(next, changes));
        return true;
    }

    /** Remembers why the configuration that there is now is not in force. */
    public void configurationFailed(String reason) {
        misconfigured = trouble(misconfigured, reason);
    }

    /**
     * Changes a rule that there is, on top of earlier changes.
     *
     * @return the version of the rules with this change
     * @param madeFor the version that the author of the change has seen; any if null
     * @throws StaleVersionException if the rules have another one by now
     * @throws LimiterConfigurationException if the rule cannot be as it would be then; all stays as it is
     * @throws ChangeStoreException if the change cannot be kept where it is to be; all stays as it is
     */
    public synchronized long change(String name, RuleChange change, @Nullable Revision madeFor) {
        change.check(name);
        try {
            return update(name, madeFor, before -> before.with(name, change));
        } catch (LimiterConfigurationException refused) {
            throw unmade(refused, change.leadingTo(version() + 1).origin(), name);
        }
    }

    /**
     * Gives keys of a rule other limits for a while; the rest as {@link #change}.
     *
     * @param overrides one for each key
     */
    public long override(String name, List<KeyOverride> overrides, @Nullable Revision madeFor) {
        try {
            return update(null, madeFor, before -> {
                Changes next = before;
                for (KeyOverride override : overrides) {
                    next = next.with(name, override);
                }
                return next;
            });
        } catch (LimiterConfigurationException refused) {
            throw unmade(refused, RuleSetCompiler.OVERRIDE, name);
        }
    }

    /** The problems of what was never made, at the settings that were sent, or else at the rule. */
    private static LimiterConfigurationException unmade(
            LimiterConfigurationException refused, RuleOrigin origin, String rule) {
        String behind = origin.of("");
        return refused.at(place -> {
            if (place.equals(origin.toString())) {
                return rule;
            }
            return place.endsWith(behind) ? place.substring(0, place.length() - behind.length()) : place;
        });
    }

    /** Ends the overrides of keys of a rule; does nothing without any. The rest as {@link #change}. */
    public long endOverrides(String name, List<String> keys, @Nullable Revision madeFor) {
        return update(null, madeFor, before -> {
            Changes next = before;
            for (String key : keys) {
                next = next.withoutOverride(name, key);
            }
            return next;
        });
    }

    /**
     * Has a rule be as configured again, but for overrides of its keys that fit it then; nothing happens if it is.
     *
     * @return the version of the rules then
     * @throws StaleVersionException as for {@link #change}
     * @throws LimiterConfigurationException if changes of other rules that are in force do not fit any more
     * @throws ChangeStoreException as for {@link #change}
     */
    public long restore(String name, @Nullable Revision madeFor) {
        return update(null, madeFor, before -> {
            Changes next = before.without(name);
            Changes unfit = compiler.fit(configuration, next).unfit();
            return next.withoutOverrides(name, unfit.overridesOf(name));
        });
    }

    /**
     * Forgets all that is changed under a name, overrides of keys included.
     *
     * @return as {@link #restore}, and it fails alike
     */
    public long forget(String name, @Nullable Revision madeFor) {
        return update(null, madeFor, before -> before.withoutAll(name));
    }

    /**
     * Has all rules be as they were before the last change that this instance knows; again, and they are as they are
     * now. The rest as {@link #change}.
     *
     * @throws IllegalArgumentException if it knows none
     */
    public synchronized long undo(@Nullable Revision madeFor) {
        return update(null, madeFor, last -> {
            Changes before = kept.former();
            if (before == null) {
                throw new IllegalArgumentException(
                        "This instance has not seen the last change, and cannot undo it. Ask the one that made it.");
            }
            return before;
        });
    }

    /**
     * Has the changes that this instance knows be kept in the place of what cannot be read there.
     *
     * @return the version of the rules then
     * @throws IllegalArgumentException if what is kept can be read
     * @throws ChangeStoreException as for {@link #change}
     */
    public synchronized long repair() {
        Changes known = kept.current();
        Changes next = known.at(now()).after(known);
        if (!kept.repair(next)) {
            throw new IllegalArgumentException("There is nothing to be repaired: the changes can be read.");
        }
        unreadable = null;
        kept.remember(next);
        return next.version();
    }

    /**
     * Makes a step, if no more changes are out of force then. {@code rule}: whose settings have to be in force in
     * any case; null if none have.
     */
    private synchronized long update(@Nullable String rule, @Nullable Revision madeFor, UnaryOperator<Changes> step) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            refresh();
            Changes before = kept.current();
            if (madeFor != null && !before.revision().isMeantBy(madeFor)) {
                throw new StaleVersionException(madeFor, before.revision());
            }
            Changes next = step.apply(before.at(now())).at(now()).after(before);
            if (next.isSameAs(before)) {
                return before.version();
            }
            Fitting fit = compiler.fit(configuration, next);
            refuseUnfit(rule, fit);
            if (kept.replace(next)) {
                kept.remember(next);
                putInForce(next, fit);
                return next.version();
            }
        }
        throw new IllegalStateException("Rules are changed by others all the time. Try again.");
    }

    private void refuseUnfit(@Nullable String rule, Fitting fit) {
        Changes before = fitting.unfit();
        for (Misfit misfit : fit.misfits()) {
            if (rule != null && misfit.changes().change(rule) || !before.cover(misfit.changes())) {
                throw misfit.failure();
            }
        }
    }

    /**
     * Takes over what other instances have changed.
     *
     * @throws ChangeStoreException if that cannot be told now; all stays as it is
     */
    public synchronized void refresh() {
        Changes newer = newer();
        if (newer == null) {
            return;
        }
        Fitting fit = compiler.fit(configuration, newer.at(now()));
        if (!fit.misfits().isEmpty()) {
            logger.error(
                    "Changes that were made elsewhere do not fit the rules of this instance, and are not in force: "
                            + fit.problem());
        }
        kept.remember(newer);
        putInForce(newer, fit);
    }

    /** Null if the same is different from the configuration as is known. */
    private @Nullable Changes newer() {
        Changes current = kept.current();
        Changes other;
        try {
            other = kept.other();
            unreadable = null;
        } catch (ChangeStoreException failure) {
            unreadable = failure.isUnreadable() ? trouble(unreadable, failure.getMessage()) : unreadable;
            throw failure;
        }
        if (other == null) {
            return null;
        }
        if (other.version() <= current.version() && !other.before().contains(current.revision())) {
            logger.warn("Changes of revision " + other.revision() + " take the place of those of revision "
                    + current.revision() + ", which they do not follow: somebody has made them without knowing those");
        }
        if (other.isSameAs(current)) {
            kept.remember(other);
            return null;
        }
        return other;
    }

    /** The time of the clock that ends overrides of keys. */
    public Instant now() {
        return Instant.EPOCH.plus(Duration.ofNanos(clock.epochNanos()));
    }

    private void putInForce(Changes changes, Fitting fit) {
        fitting = fit;
        unfit = trouble(unfit, fit.problem());
        rules.replace(fit.compiled());
        tell(changes);
    }

    private void tell(Changes changes) {
        try {
            listener.accept(new RulesChanged(changes.version(), changes.names()));
        } catch (RuntimeException failure) {
            logger.warn("A listener of changed rules failed; the change stands", failure);
        }
    }
}
