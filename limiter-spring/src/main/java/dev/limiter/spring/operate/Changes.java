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
 * All that operators have changed: at most one change of each rule, and one of each key of it. Immutable.
 *
 * @param version 1 more with each change
 */
public record Changes(long version, Map<Target, Change> all) {

    /** Everything is as configured. */
    public static final Changes NONE = new Changes(0, Map.of());

    /** In place of a rule: what is changed for all of them, which is their mode. No rule has this name. */
    public static final Target ALL_RULES = new Target("*", null);

    /** The most keys with limits of their own, of all rules together: each is compiled with the rules. */
    static final int MOST_KEYS = 1_000;

    /**
     * A rule or a key of it.
     *
     * @param rule its canonical name
     * @param key as storages have it; null for the whole rule
     */
    public record Target(String rule, @Nullable String key) {

        public Target {
            rule = RuleName.canonical(rule);
        }
    }

    public Changes {
        all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    /** The change of a rule. */
    public Optional<Change> of(String rule) {
        return Optional.ofNullable(all.get(new Target(rule, null)));
    }

    /** The changes of the keys of a rule. */
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

    /** The next version, with a change over the earlier ones of its targets. */
    Changes with(Collection<Target> targets, Change change) {
        Map<Target, Change> next = new LinkedHashMap<>(all);
        Change made = change.leadingTo(version + 1);
        targets.forEach(target -> next.merge(target, made, (former, latter) -> latter.over(former)));
        if (next.keySet().stream().filter(target -> target.key() != null).count() > MOST_KEYS) {
            throw new IllegalArgumentException(MOST_KEYS + " keys have limits of their own already, and no more can:"
                    + " use tiers or a limit-resolver.");
        }
        return new Changes(version + 1, next);
    }

    /** The next version, without the changes of some targets; the same if they have none. */
    Changes without(Predicate<Target> targets) {
        Map<Target, Change> next = new LinkedHashMap<>(all);
        return next.keySet().removeIf(targets) ? new Changes(version + 1, next) : this;
    }

    /** The same version without the changes that are over. */
    Changes at(Instant now) {
        Map<Target, Change> left = new LinkedHashMap<>(all);
        left.values().removeIf(change -> change.isOver(now));
        return new Changes(version, left);
    }

    /** When the first change ends; empty if none does. */
    Optional<Instant> firstEnd() {
        return all.values().stream().map(Change::until).filter(Objects::nonNull).min(Instant::compareTo);
    }
}
