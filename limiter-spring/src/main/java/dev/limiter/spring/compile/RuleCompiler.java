package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.spring.compile.RuleCompilation.Placement;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.key.UnresolvedKeys;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Compiles settings to rules, or reports all problems with them. Thread-safe. */
public final class RuleCompiler {

    final KeyParser keys;
    final LimiterExpressionParser expressions;
    final LimitCompiler limits;
    final RequestMatcherCompiler matchers;
    final Mode mode;
    final HeaderStyle headers;
    final TimeSteps steps;
    final AddressLists everywhere;
    final ResolvedLimitCompiler resolvers;
    final Caps caps;
    final UnresolvedKeys unresolved = new UnresolvedKeys();

    /**
     * @param available the algorithms that have a strategy
     * @param matchers compiles paths and methods
     * @param mode the mode of all rules; the mode of a rule applies if it is weaker
     * @param headers the default header style
     * @param steps the unit in which the storage counts time
     * @param everywhere the allow and deny lists of all rules
     * @param beans the beans that rules can name; null without a bean factory
     * @param resolvers caches the results of limit resolvers
     * @param caps the most that rules may allow
     */
    public RuleCompiler(
            KeyParser keys,
            LimiterExpressionParser expressions,
            Set<Algorithm> available,
            RequestMatcherCompiler matchers,
            Mode mode,
            HeaderStyle headers,
            TimeSteps steps,
            AddressLists everywhere,
            @Nullable ListableBeanFactory beans,
            LimitResolvers resolvers,
            Caps caps) {
        this.everywhere = everywhere;
        this.keys = keys;
        this.expressions = expressions;
        this.limits = new LimitCompiler(available, steps);
        this.resolvers = new ResolvedLimitCompiler(beans, expressions, resolvers);
        this.caps = caps;
        this.matchers = matchers;
        this.mode = mode;
        this.headers = headers;
        this.steps = steps;
    }

    /**
     * Compiles a rule that applies by its paths, or that methods refer to.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition) {
        return compile(definition, variables(definition), definition.get(RuleOptions.PATHS) != null);
    }

    /**
     * Compiles the automatic limit, which applies to requests without paths.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    RateLimitRule compileDefault(RuleDefinition definition) {
        return compile(definition, ExpressionScope.REQUEST, true);
    }

    private RateLimitRule compile(RuleDefinition definition, ExpressionScope variables, boolean isFinal) {
        Scope scope = definition.value(RuleOptions.SCOPE, RuleOptions.SCOPE.usual());
        return compile(definition, variables, variables.afterRequest(), isFinal, scope, RateLimitKey::perResource);
    }

    private static ExpressionScope variables(RuleDefinition definition) {
        if (definition.get(RuleOptions.PATHS) == null) {
            return ExpressionScope.ANY;
        }
        boolean early = definition.value(RuleOptions.PHASE) == Phase.REQUEST;
        return early ? ExpressionScope.ARRIVING_REQUEST : ExpressionScope.REQUEST;
    }

    /**
     * Compiles the rule of an annotated method. Unless {@code scope: rule} is set, the method has its own buckets.
     *
     * @param resource the full signature, which separates its buckets from the ones of other methods
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition, Method method, String resource) {
        ExpressionScope variables = ExpressionScope.of(method);
        Scope scope = definition.value(RuleOptions.SCOPE, Scope.ENDPOINT);
        return compile(definition, variables, variables.afterCall(), true, scope, key -> key.within(resource));
    }

    private RateLimitRule compile(
            RuleDefinition definition,
            ExpressionScope variables,
            ExpressionScope outcome,
            boolean isFinal,
            Scope scope,
            UnaryOperator<RateLimitKey> ofEndpoint) {
        UnaryOperator<RateLimitKey> scoped = scope == Scope.RULE ? UnaryOperator.identity() : ofEndpoint;
        return new RuleCompilation(this, definition, new Placement(variables, outcome, isFinal, scope, scoped))
                .compile();
    }
}
