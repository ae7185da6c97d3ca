package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.TimeSource;
import dev.limiter.spring.compiled.ResolvedLimits;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Turns {@code limit-resolver} into the limits of keys. Thread-safe. */
final class ResolvedLimitCompiler {

    private static final Duration DEFAULT = DurationParser.parse(RuleOptions.LIMIT_CACHE.usual());

    private final @Nullable ListableBeanFactory beans;
    private final LimiterExpressionParser expressions;
    private final LimitCompiler limits;
    private final Floors floors;
    private final TimeSource clock;

    /** How often the answers of all rules were forgotten. */
    private final AtomicLong era = new AtomicLong();

    /** {@code beans}: null where there are none. */
    ResolvedLimitCompiler(
            @Nullable ListableBeanFactory beans,
            LimiterExpressionParser expressions,
            LimitCompiler limits,
            Floors floors,
            TimeSource clock) {
        this.floors = floors;
        this.clock = clock;
        this.beans = beans;
        this.expressions = expressions;
        this.limits = limits;
    }

    /** Null if the rule has none, or there is a problem. */
    @Nullable
    ResolvedLimits compile(
            RuleDefinition definition, @Nullable Duration maxWait, ExpressionScope variables, Problems problems) {
        Setting<String> resolver = definition.get(RuleOptions.LIMIT_RESOLVER);
        Duration remember = remember(definition, problems);
        if (resolver == null) {
            return null;
        }
        if (definition.limits() != null) {
            problems.add(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    resolver.where(),
                    resolver.value(),
                    "The rule has named limits, but what is resolved is one limit. Write limit and window directly in"
                            + " the rule.");
        }
        Function<RateLimitContext, @Nullable Object> source = source(resolver, variables, problems);
        LimitDefinition own = definition.limit();
        return source == null
                ? null
                : new ResolvedLimits(
                        resolver.where(),
                        source,
                        permits -> limits.compile("", withPermits(own, permits, resolver.where()), maxWait),
                        limit -> check(definition, limit, resolver.where()),
                        remember,
                        clock,
                        era::get);
    }

    /** Has all answers be asked for anew. */
    void reset() {
        era.incrementAndGet();
    }

    /** The checks of the rule's own limit at the start, for a resolved one. */
    private void check(RuleDefinition definition, Limit limit, String where) {
        Problems problems = new Problems();
        limits.checkLogged(limit, where, problems);
        LeaseCompiler.check(definition, List.of(limit), "", problems);
        floors.check(definition, List.of(limit), ": the resolved limit", problems);
        RuleCompilation.checkChargeIf(definition, List.of(limit), problems);
        problems.throwIfAny();
    }

    /** Without the burst that belongs to the number of the rule. */
    private static LimitDefinition withPermits(LimitDefinition own, long permits, String where) {
        return new LimitDefinition(
                where,
                own.settings().without(LimitOptions.BURST).with(LimitOptions.LIMIT, new Setting<>(permits, where)));
    }

    private @Nullable Function<RateLimitContext, @Nullable Object> source(
            Setting<String> resolver, ExpressionScope variables, Problems problems) {
        String text = resolver.value().strip();
        if (text.startsWith("#") || text.startsWith("@")) {
            LimiterExpression expression = problems.collect(() -> expressions.parse(text, resolver.where(), variables));
            if (expression != null && !mayGiveLimit(expression)) {
                problems.add(
                        MessageCode.LIMIT_RESOLVER,
                        resolver.where(),
                        resolver.value(),
                        "This is always " + expression.constant()
                                + ". Write an expression that gives a whole number of permits, a"
                                + " dev.limiter.Limit, or null for the limit of the rule.");
            }
            return expression == null ? null : expression::evaluate;
        }
        if (beans == null || !beans.containsBean(text) || !beans.isTypeMatch(text, LimitResolver.class)) {
            problems.add(
                    MessageCode.LIMIT_RESOLVER,
                    resolver.where(),
                    resolver.value(),
                    "There is no LimitResolver bean of this name. Name one, or write an expression that gives a"
                            + " number of permits, such as \"#{@customers.limitOf(#request)}\".");
            return null;
        }
        // Not before the first request: rules are needed early, and a bean made that early misses its own proxies.
        Supplier<LimitResolver> bean = SingletonSupplier.of(() -> beans.getBean(text, LimitResolver.class));
        return context -> bean.get().resolve(context);
    }

    private static boolean mayGiveLimit(LimiterExpression expression) {
        return expression.constant() instanceof Number number
                ? number.longValue() == number.doubleValue() && number.longValue() >= 1
                : !expression.isNever(Number.class);
    }

    private static Duration remember(RuleDefinition definition, Problems problems) {
        Setting<String> cache = definition.get(RuleOptions.LIMIT_CACHE);
        if (cache == null) {
            return DEFAULT;
        }
        if (definition.get(RuleOptions.LIMIT_RESOLVER) == null) {
            problems.add(
                    MessageCode.LIMIT_RESOLVER,
                    cache.where(),
                    cache.value(),
                    "Nothing is resolved that could be remembered. Add a limit-resolver, or remove limit-cache.");
        }
        Duration remember = OptionValues.duration(RuleOptions.LIMIT_CACHE, cache, null, problems);
        return remember == null ? DEFAULT : remember;
    }
}
