package dev.limiter.spring.autoconfigure;

import dev.limiter.TimeSource;
import dev.limiter.redis.SharedDocument;
import dev.limiter.spring.autoconfigure.StartupSummary.StorageAddress;
import dev.limiter.spring.check.StartupReport;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.config.RuleSources;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.operate.ChangeFollower;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.LiveRules;
import java.nio.file.Path;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** Auto-configuration of rules that change at run time, and of the storage of changes. */
@AutoConfiguration(
        after = {
            LimiterRedisAutoConfiguration.class,
            LimiterAutoConfiguration.class,
            LimiterMethodAutoConfiguration.class
        })
@ConditionalOnLimiter
public final class LimiterChangesAutoConfiguration {

    /** Shares changes across instances in Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(type = "dev.limiter.spring.autoconfigure.OwnConnection")
    @ConditionalOnSetting(value = "limiter.redis.share-changes", matchIfMissing = true)
    static class Shared {

        @Bean
        ChangeStore limiterChangeStore(OwnConnection connection, LimiterSettings settings) {
            return new RedisChangeStore(
                    new SharedDocument(connection.redis(), settings.redis().keyPrefix() + "changes"));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    ChangeStore limiterChangeStore(LimiterSettings settings) {
        Path file = settings.changesFile();
        return file == null ? ChangeStore.MEMORY : new ChangesFile(file);
    }

    @Bean
    LiveRules limiterLiveRules(
            Rules rules,
            RuleCompiler compiler,
            ConfiguredRules configured,
            ObjectProvider<MethodLimits> methods,
            ChangeStore store,
            TimeSource clock,
            ApplicationEventPublisher events) {
        return new LiveRules(
                rules,
                new RuleSetCompiler(compiler),
                methods.getIfAvailable(() -> MethodLimits.NONE),
                configured.defaultLimit(),
                configured.excluded(),
                store,
                clock,
                events::publishEvent);
    }

    @Bean
    StartupSummary limiterStartupSummary(
            LiveRules rules, DecidingStorage storage, ObjectProvider<StorageAddress> address) {
        return new StartupSummary(rules, storage, address.getIfAvailable());
    }

    @Bean(destroyMethod = "stop")
    ChangeFollower limiterChangeFollower(LiveRules rules) {
        return new ChangeFollower(rules);
    }

    @Bean
    static EnvironmentChangeListener limiterEnvironmentChanges(ObjectProvider<ConfigurationWatcher> watcher) {
        return new EnvironmentChangeListener(watcher);
    }

    @Bean(destroyMethod = "stop")
    ConfigurationWatcher limiterConfigurationWatcher(
            LiveRules rules,
            ConfigurableEnvironment environment,
            ObjectProvider<ConfigurationPropertiesBindHandlerAdvisor> advisors,
            RuleSources sources,
            ObjectProvider<StartupReport> report) {
        return new ConfigurationWatcher(
                rules,
                advisors.orderedStream().toList(),
                environment,
                sources,
                () -> report.ifAvailable(StartupReport::reportChange));
    }
}
