package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.TimeSource;
import dev.limiter.spring.actuate.endpoint.LimiterEndpoint;
import dev.limiter.spring.actuate.endpoint.LimiterWebEndpoint;
import dev.limiter.spring.actuate.endpoint.RequestExplanations;
import dev.limiter.spring.actuate.endpoint.UnknownParameterAdvisor;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.BackgroundTask;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RejectedKeys;
import dev.limiter.spring.operate.RequestExplainer;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Auto-configuration of {@code /actuator/limiter}. Decisions are counted for it only if the endpoint is exposed. */
@AutoConfiguration(after = LimiterChangesAutoConfiguration.class)
@ConditionalOnLimiter
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LimiterEndpoint.class)
public final class LimiterEndpointAutoConfiguration {

    @Bean
    DecisionCounts limiterDecisionCounts() {
        return new DecisionCounts();
    }

    @Bean
    RejectedKeys limiterRejectedKeys(KeyHash hash) {
        return new RejectedKeys(hash);
    }

    @Bean
    DemandRecorder limiterDemandRecorder(TimeSource clock) {
        return new DemandRecorder(clock);
    }

    /** Runs once a second. Never lazy, because no other bean needs it. */
    @Bean(initMethod = "start", destroyMethod = "stop")
    @Lazy(false)
    BackgroundTask limiterSampler(DecisionCounts counts, RejectedKeys rejected) {
        return new BackgroundTask("limiter-sampler", Duration.ofSeconds(1), () -> {
            counts.sample();
            rejected.sample();
        });
    }

    @Bean
    @ConditionalOnMissingBean
    LimiterEndpoint limiterEndpoint(
            LiveRules rules,
            RateLimiters limiters,
            DecidingStorage storage,
            RuleDecider decider,
            LimiterSettings settings,
            DecisionCounts counts,
            RejectedKeys rejected,
            DemandRecorder demand,
            PermitHolders holders,
            ApplicationEventPublisher events,
            KeyHash hash) {
        return new LimiterEndpoint(
                rules, limiters, decider, settings.caps(), counts, rejected, demand, holders, storage, events, hash);
    }

    @Bean
    static UnknownParameterAdvisor limiterKnownParameters(ObjectProvider<LimiterWebEndpoint> endpoint) {
        return new UnknownParameterAdvisor(endpoint::getObject);
    }

    @Bean
    @ConditionalOnMissingBean
    LimiterWebEndpoint limiterWebEndpoint(
            LimiterEndpoint endpoint, ObjectProvider<RequestExplainer> explainer, KeyHash hash) {
        return new LimiterWebEndpoint(endpoint, new RequestExplanations(explainer.getIfAvailable(), hash));
    }
}
