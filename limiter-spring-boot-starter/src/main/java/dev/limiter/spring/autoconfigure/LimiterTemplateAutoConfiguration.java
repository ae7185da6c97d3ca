package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.template.RuleTemplate;
import dev.limiter.spring.template.UnlimitedTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of limits in code. Active even with {@code limiter.enabled: false}, because beans need the
 * template.
 */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
public final class LimiterTemplateAutoConfiguration {

    /** Looks up its dependencies on first use, so that a RuleSource can inject the template. */
    @Bean
    @ConditionalOnBean(Rules.class)
    @ConditionalOnMissingBean
    RateLimitTemplate limiterTemplate(
            ObjectProvider<Rules> rules,
            ObjectProvider<RuleDecider> decider,
            ObjectProvider<ConfigurationWatcher> watcher) {
        return new RuleTemplate(
                SingletonSupplier.of(rules::getObject),
                SingletonSupplier.of(decider::getObject),
                () -> watcher.getObject().reload());
    }

    @Bean("limiterTemplate")
    @ConditionalOnMissingBean
    RateLimitTemplate limiterUnlimitedTemplate() {
        return new UnlimitedTemplate();
    }
}
