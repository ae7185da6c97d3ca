package dev.limiter.spring.operate;

import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that is different from the configuration: what operators have changed. Immutable.
 *
 * @param revision of the version that this is
 * @param before the revisions that it follows, the latest first, some of them
 * @param rules name of a rule to what is different in it, the latest last; each setting of a limit is in one of them
 *     alone
 * @param overrides name of a rule to its keys with limits of their own
 */
public record Changes(
        Revision revision,
        List<Revision> before,
        Map<String, List<RuleChange>> rules,
        Map<String, List<KeyOverride>> overrides) {

    /** Everything is as configured. */
    public static final Changes NONE = new Changes(Revision.NONE, List.of(), Map.of(), Map.of());

    /** The number of remembered revisions: they tell a store without the last changes from one with others. */
    private static final int REMEMBERED = 20;

    /** The most overrides of all rules together: each is compiled with the rules. */
    static final int MOST_OVERRIDES = 1_000;

    /**
     * The name of a version. After a loss of changes, a number alone would name two versions: the lost one, and its
     * replacement.
     *
     * @param number 1 more than that of the changes it follows
     * @param token random digits and letters; empty if an operator has written the number alone
     */
    public record Revision(long number, String token) {

        static final Revision NONE = new Revision(0, "");

        private static final Pattern TEXT = Pattern.compile("([0-9]{1,18})(?:-([0-9a-f]{1,32}))?");
        private static final int DIGITS = 8;

        /** The characters of the longest text of one. */
        static final int LONGEST = 18 + 1 + 32;

        /** Whether a text is one of {@link #toString}. */
        static boolean isOne(String text) {
            return TEXT.matcher(text).matches();
        }

        /** @throws IllegalArgumentException if the text is none of {@link #toString} */
        public static Revision parse(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("This is no revision of changes: " + LogText.escape(text));
            }
            return new Revision(Long.parseLong(matcher.group(1)), Objects.requireNonNullElse(matcher.group(2), ""));
        }

        static Revision of(long number) {
            return new Revision(number, UUID.randomUUID().toString().substring(0, DIGITS));
        }

        /** Whether a revision in a request, or its number alone, means this one. */
        boolean isMeantBy(Revision said) {
            return number == said.number && (said.token.isEmpty() || token.equals(said.token));
        }

        /** The number, a dash and the token. */
        @Override
        public String toString() {
            return token.isEmpty() ? Long.toString(number) : number + "-" + token;
        }
    }

    public Changes {
        before = List.copyOf(before);
        rules = sorted(rules);
        overrides = sorted(overrides);
    }

    private static <T> Map<String, List<T>> sorted(Map<String, List<T>> byRule) {
        Map<String, List<T>> sorted = new TreeMap<>();
        byRule.forEach((rule, some) -> {
            if (!some.isEmpty()) {
                sorted.put(RuleName.canonical(rule), List.copyOf(some));
            }
        });
        return Collections.unmodifiableMap(sorted);
    }

    private Changes replaced(String rule, Predicate<KeyOverride> dropped, @Nullable KeyOverride added) {
        Map<String, List<KeyOverride>> next = new TreeMap<>(overrides);
        List<KeyOverride> some = new ArrayList<>(overridesOf(rule));
        some.removeIf(dropped);
        if (added != null) {
            some.add(added);
        }
        next.put(RuleName.canonical(rule), some);
        return new Changes(revision, before, rules, next);
    }

    /** These and one more, which takes the place of what others say of the same settings. */
    Changes with(String rule, RuleChange change) {
        Map<String, List<RuleChange>> next = new TreeMap<>(rules);
        String name = RuleName.canonical(rule);
        next.put(
                name,
                Stream.concat(
                                rules.getOrDefault(name, List.of()).stream().map(earlier -> earlier.before(change)),
                                Stream.of(change.leadingTo(version() + 1)))
                        .filter(some -> !some.isEmpty())
                        .toList());
        return new Changes(revision, before, next, overrides);
    }

    /** Without what is changed in the settings of a rule. */
    Changes without(String rule) {
        Map<String, List<RuleChange>> others = new TreeMap<>(rules);
        others.remove(RuleName.canonical(rule));
        return new Changes(revision, before, others, overrides);
    }

    /** Without anything of a rule. */
    Changes withoutAll(String rule) {
        Set<String> others = names();
        others.remove(RuleName.canonical(rule));
        return only(others);
    }

    /** These and one more, instead of that of the same key and limit. */
    Changes with(String rule, KeyOverride override) {
        Predicate<KeyOverride> same = other -> other.key().equals(override.key())
                && Objects.equals(canonical(other.named()), canonical(override.named()));
        Changes next = replaced(rule, same, override);
        if (next.overrides.values().stream().mapToInt(List::size).sum() > MOST_OVERRIDES) {
            throw new IllegalArgumentException(
                    "There are " + MOST_OVERRIDES + " overrides of keys already, and no more are"
                            + " possible: use tiers or a limit-resolver for so many.");
        }
        return next;
    }

    private static @Nullable String canonical(@Nullable String named) {
        return named == null ? null : RuleName.canonical(named);
    }

    /** Without the overrides of a key. */
    Changes withoutOverride(String rule, String key) {
        return replaced(rule, override -> override.key().equals(key), null);
    }

    /** Without some overrides of a rule. */
    Changes withoutOverrides(String rule, Collection<KeyOverride> ended) {
        return replaced(rule, ended::contains, null);
    }

    /** Without the overrides that are over. */
    Changes at(Instant now) {
        Map<String, List<KeyOverride>> left = new TreeMap<>();
        overrides.forEach((rule, some) -> left.put(
                rule,
                some.stream().filter(override -> override.until().isAfter(now)).toList()));
        return new Changes(revision, before, rules, left);
    }

    /** The changes of some rules alone, by their canonical names. */
    Changes only(Set<String> names) {
        Map<String, List<RuleChange>> someRules = new TreeMap<>(rules);
        someRules.keySet().retainAll(names);
        Map<String, List<KeyOverride>> someOverrides = new TreeMap<>(overrides);
        someOverrides.keySet().retainAll(names);
        return new Changes(revision, before, someRules, someOverrides);
    }

    /** These changes and others, of which none is about the same settings or keys. */
    Changes and(Changes others) {
        Map<String, List<RuleChange>> allRules = new TreeMap<>(rules);
        allRules.putAll(others.rules);
        Map<String, List<KeyOverride>> allOverrides = new TreeMap<>(overrides);
        others.overrides.forEach((rule, some) -> allOverrides.merge(
                rule,
                some,
                (own, more) -> Stream.concat(own.stream(), more.stream()).toList()));
        return new Changes(revision, before, allRules, allOverrides);
    }

    /**
     * The parts that can be in force by themselves: the changes of each rule; of one rule, those of its settings
     * together, and overrides alike.
     */
    List<Changes> parts() {
        Set<String> names = names();
        if (names.size() > 1) {
            return names.stream().map(name -> only(Set.of(name))).toList();
        }
        List<Changes> parts = new ArrayList<>();
        if (!rules.isEmpty()) {
            parts.add(new Changes(revision, before, rules, Map.of()));
        }
        overrides.forEach((rule, some) -> some.stream()
                .collect(Collectors.groupingBy(
                        override -> Arrays.asList(override.named(), override.limit()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values()
                .forEach(alike -> parts.add(new Changes(revision, before, Map.of(), Map.of(rule, alike)))));
        return parts;
    }

    /** Whether others are about settings of the same rules and have the same overrides, or about less. */
    boolean cover(Changes others) {
        return rules.keySet().containsAll(others.rules.keySet())
                && others.overrides.entrySet().stream()
                        .allMatch(other -> overrides
                                .getOrDefault(other.getKey(), List.of())
                                .containsAll(other.getValue()));
    }

    /** These changes as the version that follows another one. */
    Changes after(Changes former) {
        return as(Revision.of(former.version() + 1), former);
    }

    /** These changes as another revision with the same number. */
    public Changes renewed() {
        return as(Revision.of(version()), this);
    }

    private Changes as(Revision next, Changes former) {
        List<Revision> all = new ArrayList<>();
        all.add(former.revision);
        all.addAll(former.before);
        return new Changes(next, all.subList(0, Math.min(all.size(), REMEMBERED)), rules, overrides);
    }

    /** The number of its revision: how often rules were changed. */
    public long version() {
        return revision.number();
    }

    /** Whether both have the same settings and overrides, by any author. */
    boolean isSameAs(Changes other) {
        return settings().equals(other.settings()) && overrides.equals(other.overrides);
    }

    private Map<String, Set<Object>> settings() {
        Map<String, Set<Object>> settings = new HashMap<>();
        rules.forEach((rule, some) -> settings.put(
                rule,
                some.stream().flatMap(change -> change.settings().stream()).collect(Collectors.toSet())));
        return settings;
    }

    /** The rules in which something is different, by their canonical names. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(rules.keySet());
        names.addAll(overrides.keySet());
        return names;
    }

    /** The overrides of keys of a rule. */
    public List<KeyOverride> overridesOf(String rule) {
        return overrides.getOrDefault(RuleName.canonical(rule), List.of());
    }

    /** Whether the settings of a rule are different. */
    boolean change(String rule) {
        return rules.containsKey(RuleName.canonical(rule));
    }

    /**
     * The settings of a rule with what is different in it.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if they do not fit together
     */
    RuleDefinition applyTo(RuleDefinition rule) {
        String canonical = RuleName.canonical(rule.name());
        RuleDefinition result = rule;
        for (RuleChange change : rules.getOrDefault(canonical, List.of())) {
            result = change.applyTo(result);
        }
        List<KeyOverride> ofKeys = overrides.get(canonical);
        return ofKeys == null
                ? result
                : result.with(result.settings().with(KeyOverride.OPTION, ofKeys, RuleSetCompiler.OVERRIDE));
    }
}
