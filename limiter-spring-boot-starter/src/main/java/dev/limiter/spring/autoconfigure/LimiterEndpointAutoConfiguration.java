package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.TimeSource;
import dev.limiter.redis.server.SharedSamples;
import dev.limiter.spring.background.BackgroundTask;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.context.WebExchange;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.endpoint.LimiterEndpoint;
import dev.limiter.spring.endpoint.LimiterWebEndpoint;
import dev.limiter.spring.endpoint.RequestExplanations;
import dev.limiter.spring.endpoint.UnknownParameterAdvisor;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.metrics.QueuedRequestCounter;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RefusedKeys;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.operate.series.DecisionSeries;
import dev.limiter.spring.redis.DecisionSeriesSync;
import dev.limiter.spring.redis.OwnConnection;
import dev.limiter.spring.storage.DecidingStorage;
import dev.limiter.spring.web.endpoint.ServletExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** {@code /actuator/limiter}, where that endpoint is exposed; without it nothing is counted for it. */
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
    RefusedKeys limiterRefusedKeys(KeyHash hash) {
        return new RefusedKeys(hash);
    }

    @Bean
    DemandRecorder limiterDemandRecorder(TimeSource clock) {
        return new DemandRecorder(clock);
    }

    @Bean
    @ConditionalOnSetting("limiter.dashboard.enabled")
    DecisionSeries limiterDecisionSeries(DecisionCounts counts, RateLimiters limiters, Environment environment) {
        return new DecisionSeries(
                counts,
                limiters::waiting,
                new QueuedRequestCounter(limiters)::of,
                () -> environment.getProperty("HOSTNAME", "instance") + ":"
                        + environment.getProperty("local.server.port", ""));
    }

    /** On Redis, what is decided is that of all instances. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(type = "dev.limiter.spring.redis.OwnConnection")
    @ConditionalOnSetting("limiter.dashboard.enabled")
    static class Shared {

        @Bean
        DecisionSeriesSync limiterSampleExchange(
                OwnConnection connection, LimiterSettings settings, DecisionSeries series) {
            return new DecisionSeriesSync(
                    new SharedSamples(connection.redis(), settings.redis().keyPrefix() + "samples"), series);
        }
    }

    /** Once a second, while the application runs. Not lazy, whatever its other beans are: no bean asks for it. */
    @Bean(initMethod = "start", destroyMethod = "stop")
    @Lazy(false)
    BackgroundTask limiterSampler(
            DecisionCounts counts,
            RefusedKeys refused,
            ObjectProvider<DecisionSeries> series,
            ObjectProvider<DecisionSeriesSync> exchange) {
        List<Runnable> samples = new ArrayList<>(List.of(counts::sample, refused::sample));
        series.ifAvailable(alone -> {
            DecisionSeriesSync shared = exchange.getIfAvailable();
            samples.add(shared == null ? alone::sample : shared);
        });
        return new BackgroundTask("limiter-sampler", Duration.ofSeconds(1), () -> samples.forEach(Runnable::run));
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
            RefusedKeys refused,
            DemandRecorder demand,
            PermitHolders holders,
            ApplicationEventPublisher events,
            KeyHash hash) {
        return new LimiterEndpoint(
                rules, limiters, decider, settings.floors(), counts, refused, demand, holders, storage, events, hash);
    }

    @Bean
    static UnknownParameterAdvisor limiterKnownParameters() {
        return new UnknownParameterAdvisor();
    }

    @Bean
    @ConditionalOnMissingBean
    LimiterWebEndpoint limiterWebEndpoint(
            LimiterEndpoint endpoint,
            ObjectProvider<RequestExplainer> explainer,
            ObjectProvider<DecisionSeries> series,
            KeyHash hash) {
        ClassLoader loader = getClass().getClassLoader();
        boolean servlets = ClassUtils.isPresent("jakarta.servlet.http.HttpServletResponse", loader)
                && ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", loader);
        return new LimiterWebEndpoint(
                endpoint,
                new RequestExplanations(explainer.getIfAvailable(), hash),
                servlets ? new ServletExchange() : WebExchange.UNKNOWN,
                series.getIfAvailable());
    }
}
