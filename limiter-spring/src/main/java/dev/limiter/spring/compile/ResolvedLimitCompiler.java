package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.resolve.ResolverCache.Resolver;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Compiles {@code limit-resolver}. Thread-safe. */
final class ResolvedLimitCompiler {

    private static final Duration DEFAULT = DurationParser.parse(RuleOptions.LIMIT_CACHE.usual());

    private final @Nullable ListableBeanFactory beans;
    private final LimiterExpressionParser expressions;
    private final LimitResolvers resolvers;

    /** {@code beans}: null without a bean factory. */
    ResolvedLimitCompiler(
            @Nullable ListableBeanFactory beans, LimiterExpressionParser expressions, LimitResolvers resolvers) {
        this.beans = beans;
        this.expressions = expressions;
        this.resolvers = resolvers;
    }

    /**
     * Returns the resolved limits; null if the rule has no resolver, or if there is a problem. {@code own}: the rule's
     * own limits, null if they have a problem.
     */
    @Nullable
    ResolvedLimits compile(
            RuleDefinition definition,
            @Nullable Rule own,
            @Nullable Tiers tiers,
            Duration maxWait,
            Consumer<List<Limit>> check,
            ExpressionScope variables,
            Problems problems) {
        Setting<String> resolver = definition.get(RuleOptions.LIMIT_RESOLVER);
        if (resolver == null) {
            return null;
        }
        Setting<String> cache = definition.get(RuleOptions.LIMIT_CACHE);
        Duration remember = cache == null
                ? DEFAULT
                : problems.collect(() -> OptionValues.duration(RuleOptions.LIMIT_CACHE, cache, TimeSteps.NANOSECONDS));
        Function<RateLimitContext, @Nullable Object> source = source(resolver, variables, problems);
        return source == null || remember == null || own == null
                ? null
                : new ResolvedLimits(
                        own,
                        tiers,
                        maxWait,
                        check,
                        resolvers,
                        resolvers.cache(own.name(), resolver.value()),
                        new Resolver(source, remember));
    }

    private @Nullable Function<RateLimitContext, @Nullable Object> source(
            Setting<String> resolver, ExpressionScope variables, Problems problems) {
        String text = resolver.value().strip();
        if (text.startsWith("#") || text.startsWith("@")) {
            LimiterExpression expression = problems.collect(() -> expressions.parse(text, resolver.where(), variables));
            return expression == null ? null : expression::evaluate;
        }
        if (beans == null || !beans.containsBean(text) || !beans.isTypeMatch(text, LimitResolver.class)) {
            problems.add(
                    MessageCode.LIMIT_RESOLVER,
                    resolver.where(),
                    resolver.value(),
                    "No LimitResolver bean has this name. Name one, or write an expression that"
                            + " returns a number of permits, such as \"#{@customers.limitOf(#request)}\".");
            return null;
        }
        // Created at the first request, because a bean created as early as the rules would miss its own proxies.
        Supplier<LimitResolver> bean = SingletonSupplier.of(() -> beans.getBean(text, LimitResolver.class));
        return context -> bean.get().resolve(context);
    }
}
