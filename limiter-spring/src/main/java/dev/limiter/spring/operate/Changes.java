package dev.limiter.spring.operate;

import dev.limiter.spring.rule.RuleName;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All changes by operators: at most one of each rule, and one of each key. Immutable.
 *
 * @param version increases by 1 with each change
 */
public record Changes(long version, Map<Target, Change> all) {

    /** No changes. */
    public static final Changes NONE = new Changes(0, Map.of());

    /** Stands for all rules together. No rule has this name. */
    public static final Target ALL_RULES = new Target("*", null);

    /** The most changed keys of all rules together, because each is compiled with the rules. */
    static final int MOST_KEYS = 1_000;

    /**
     * A rule or a key of it.
     *
     * @param rule its canonical name
     * @param key the key as storages contain it; null for the whole rule
     */
    public record Target(String rule, @Nullable String key) {

        public Target {
            rule = RuleName.canonical(rule);
        }
    }

    public Changes {
        all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    /** Returns the change of a rule. */
    public Optional<Change> of(String rule) {
        return Optional.ofNullable(all.get(new Target(rule, null)));
    }

    /** Returns the changes of the keys of a rule. */
    public Map<String, Change> ofKeys(String rule) {
        String canonical = RuleName.canonical(rule);
        Map<String, Change> ofKeys = new LinkedHashMap<>();
        all.forEach((target, change) -> {
            if (target.key() != null && target.rule().equals(canonical)) {
                ofKeys.put(target.key(), change);
            }
        });
        return ofKeys;
    }

    /** Returns the next version, with a change merged over earlier ones of its targets. */
    Changes with(Collection<Target> targets, Change change) {
        Map<Target, Change> next = new LinkedHashMap<>(all);
        Change made = change.leadingTo(version + 1);
        targets.forEach(target -> next.merge(target, made, (former, latter) -> latter.over(former)));
        if (next.keySet().stream().filter(target -> target.key() != null).count() > MOST_KEYS) {
            throw new IllegalArgumentException(MOST_KEYS + " keys already have their own limits, which is the"
                    + " maximum. Revert some, or use tiers or a limit-resolver.");
        }
        return new Changes(version + 1, next);
    }

    /** Returns the next version without the changes of some targets; this if they have none. */
    Changes without(Predicate<Target> targets) {
        Map<Target, Change> next = new LinkedHashMap<>(all);
        return next.keySet().removeIf(targets) ? new Changes(version + 1, next) : this;
    }

    /** Returns the same version without expired changes. */
    Changes at(Instant now) {
        Map<Target, Change> left = new LinkedHashMap<>(all);
        left.values().removeIf(change -> change.isOver(now));
        return new Changes(version, left);
    }

    /** Returns when the first change expires; empty if none does. */
    Optional<Instant> firstEnd() {
        return all.values().stream().map(Change::until).filter(Objects::nonNull).min(Instant::compareTo);
    }
}
