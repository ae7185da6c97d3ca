package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.template.RuleTemplate;
import dev.limiter.spring.template.UnlimitedTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Limits in code. With {@code limiter.enabled: false}, beans that use the template still start. */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
public final class LimiterTemplateAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RateLimitTemplate limiterTemplate(
            ObjectProvider<Rules> rules,
            ObjectProvider<RuleDecider> decider,
            ObjectProvider<ConfigurationWatcher> watcher) {
        Rules configured = rules.getIfAvailable();
        return configured == null
                ? new UnlimitedTemplate()
                : new RuleTemplate(
                        configured,
                        decider.getObject(),
                        () -> watcher.getObject().reload());
    }
}
