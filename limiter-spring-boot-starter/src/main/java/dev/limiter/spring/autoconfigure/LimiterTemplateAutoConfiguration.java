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

/** Limits in code. With {@code limiter.enabled: false}, beans that use the template still start. */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
public final class LimiterTemplateAutoConfiguration {

    /** Looks its parts up when it is first used: a RuleSource may have the template injected. */
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
