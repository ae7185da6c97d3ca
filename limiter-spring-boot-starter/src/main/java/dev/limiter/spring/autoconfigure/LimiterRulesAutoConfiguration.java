package dev.limiter.spring.autoconfigure;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.TimeSource;
import dev.limiter.spring.check.BanKeyCheck;
import dev.limiter.spring.check.KeySecretCheck;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.check.StartupReport;
import dev.limiter.spring.compile.AddressLists;
import dev.limiter.spring.compile.RequestMatcherCompiler;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.compile.TimeSteps;
import dev.limiter.spring.config.BindProblemCollector;
import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterProperties;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.config.RuleSources;
import dev.limiter.spring.config.Storage;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.key.KeyAlternatives;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.SecretValues;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.web.route.ApplicationPatternParser;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.web.util.pattern.PathPatternParser;

/** Auto-configuration of rules from {@code limiter.*} and from {@link RuleSource} beans. */
@AutoConfiguration
@ConditionalOnLimiter
@EnableConfigurationProperties(LimiterProperties.class)
public final class LimiterRulesAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BindProblemCollector limiterBindProblemCollector() {
        return new BindProblemCollector();
    }

    @Bean
    LimiterSettings limiterSettings(LimiterProperties properties, Environment environment) {
        return LimiterSettings.of(properties, environment);
    }

    @Bean
    ConfiguredRules limiterConfiguredRules(LimiterProperties properties, Environment environment) {
        return new ConfiguredRules(properties, environment);
    }

    @Bean
    KeyHash limiterKeyHash(LimiterSettings settings) {
        return KeyHash.with(settings.redis().keySecret());
    }

    @Bean
    LimitResolvers limiterLimitResolvers(LimiterSettings settings, ObjectProvider<TimeSource> clock, KeyHash hash) {
        return new LimitResolvers(settings.maxKeys(), () -> clock.getObject().epochNanos(), hash);
    }

    @Bean
    @ConditionalOnMissingBean
    RuleCompiler limiterRuleCompiler(
            ListableBeanFactory beans,
            LimiterSettings settings,
            SecretValues secrets,
            ObjectProvider<RateLimiterFactory> factory,
            ObjectProvider<Supplier<PathPatternParser>> parser,
            LimitResolvers resolvers) {
        LimiterExpressionParser expressions = new LimiterExpressionParser(beans);
        return new RuleCompiler(
                new KeyParser(new KeyAlternatives(
                        beans, expressions, secrets, settings.web().addresses())),
                expressions,
                available(factory.getIfAvailable(RateLimiterFactory::new)),
                new RequestMatcherCompiler(parser.getIfAvailable(() -> new ApplicationPatternParser(beans))),
                settings.mode(),
                settings.web().headers(),
                settings.storage() == Storage.REDIS ? TimeSteps.MICROSECONDS : TimeSteps.NANOSECONDS,
                new AddressLists(settings.web().allow(), settings.web().deny()),
                beans,
                resolvers,
                settings.caps());
    }

    /** Hashes secrets in keys, because others can read Redis. {@link KeySecretCheck} reports a missing key-secret. */
    @Bean
    SecretValues limiterSecretValues(LimiterSettings settings) {
        if (settings.storage() == Storage.MEMORY) {
            return SecretValues.asTheyAre();
        }
        String secret = settings.redis().keySecret();
        return SecretValues.hashedWith(secret == null ? KeySecretCheck.KNOWN_SECRET : secret);
    }

    @Bean
    RuleSources limiterRuleSources(ListableBeanFactory beans) {
        return new RuleSources(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    Rules limiterRules(RuleCompiler compiler, ConfiguredRules configured, RuleSources sources) {
        List<RuleDefinition> definitions = configured.with(sources.get());
        return new Rules(
                new RuleSetCompiler(compiler).compile(definitions, configured.defaultLimit(), configured.excluded()));
    }

    @Bean
    BanKeyCheck limiterChosenKeys(Rules rules) {
        return new BanKeyCheck(rules);
    }

    @Bean
    StartupReport limiterStartupReport(ApplicationContext context, ObjectProvider<StartupCheck> checks) {
        return new StartupReport(context, checks);
    }

    private static Set<Algorithm> available(RateLimiterFactory factory) {
        return Arrays.stream(Algorithm.values()).filter(factory::supports).collect(Collectors.toUnmodifiableSet());
    }
}
