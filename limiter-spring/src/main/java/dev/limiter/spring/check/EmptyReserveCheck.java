package dev.limiter.spring.check;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds reserves of less than one permit: a limit keeps whole permits, and so none for those with priority. */
public final class EmptyReserveCheck implements StartupCheck {

    private final Rules rules;
    private final Supplier<MethodLimits> methods;

    /** {@code methods}: asked for once all beans are there. */
    public EmptyReserveCheck(Rules rules, Supplier<MethodLimits> methods) {
        this.rules = rules;
        this.methods = methods;
    }

    @Override
    public List<Finding> findings() {
        RuleSet current = rules.current();
        return Stream.of(
                        current.rules().stream(),
                        current.defaultLimit().stream(),
                        methods.get().rules(current).stream())
                .flatMap(all -> all)
                .filter(rule -> rule.mode() != Mode.OFF && rule.reserve() > 0)
                .flatMap(EmptyReserveCheck::findings)
                .distinct()
                .toList();
    }

    private static Stream<Finding> findings(RateLimitRule rule) {
        Stream<Finding> ofTiers = rule.tiers().entrySet().stream()
                .flatMap(tier -> findings(rule, tier.getValue(), rule.origin() + ".tiers." + tier.getKey()));
        return Stream.concat(findings(rule, rule.rule(), rule.origin()), ofTiers);
    }

    private static Stream<Finding> findings(RateLimitRule rule, Rule limits, String where) {
        Setting<String> reserve = rule.definition().get(RuleOptions.RESERVE);
        return reserve == null
                ? Stream.empty()
                : limits.limits().stream()
                        .filter(limit -> limits.charge().keeping(rule.reserve()).kept(limit.capacity()) == 0)
                        .map(limit -> finding(reserve, limit, where));
    }

    private static Finding finding(Setting<String> reserve, Limit limit, String where) {
        long capacity = limit.capacity();
        return new Finding(
                MessageCode.IGNORED_SETTING,
                reserve.where() + " = " + reserve.value() + " has no effect for " + where
                        + (limit.name().isEmpty() ? "" : ".limits." + limit.name())
                        + ", since this share of " + capacity + (capacity == 1 ? " permit" : " permits")
                        + " is less than one: "
                        + (capacity == 1 ? "raise the limit" : "write " + (99 + capacity) / capacity + "% or more")
                        + ", or remove it.");
    }
}
