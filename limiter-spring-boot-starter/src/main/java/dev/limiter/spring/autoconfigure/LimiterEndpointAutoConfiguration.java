package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.TimeSource;
import dev.limiter.spring.actuate.endpoint.LimiterEndpoint;
import dev.limiter.spring.actuate.endpoint.LimiterReactiveWebEndpoint;
import dev.limiter.spring.actuate.endpoint.LimiterWebEndpoint;
import dev.limiter.spring.actuate.endpoint.RequestExplanations;
import dev.limiter.spring.actuate.endpoint.UnknownParameterAdvisor;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.context.WebExchange;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.BackgroundTask;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RejectedKeys;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.web.ServletExchange;
import dev.limiter.spring.web.UnreadableChangeResolver;
import dev.limiter.spring.webflux.ReactiveExchange;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;
import reactor.core.publisher.Mono;

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
            ApplicationEventPublisher events,
            KeyHash hash) {
        return new LimiterEndpoint(
                rules, limiters, decider, settings.caps(), counts, rejected, demand, storage, events, hash);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Mvc {

        @Bean
        UnreadableChangeResolver limiterUnreadableChanges() {
            return new UnreadableChangeResolver();
        }
    }

    @Bean
    @ConditionalOnMissingBean
    static UnknownParameterAdvisor limiterKnownParameters() {
        return new UnknownParameterAdvisor(UnaryOperator.identity());
    }

    /** In an application of WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class WebFlux {

        @Bean
        static UnknownParameterAdvisor limiterKnownParameters() {
            return new UnknownParameterAdvisor(Mono::just);
        }

        @Bean
        @ConditionalOnMissingBean
        LimiterReactiveWebEndpoint limiterWebEndpoint(
                LimiterEndpoint endpoint, ObjectProvider<RequestExplainer> explainer, KeyHash hash) {
            ReactiveExchange exchange = new ReactiveExchange();
            return new LimiterReactiveWebEndpoint(
                    new LimiterWebEndpoint(
                            endpoint, new RequestExplanations(explainer.getIfAvailable(), hash), exchange),
                    exchange::call);
        }
    }

    @Bean
    @ConditionalOnMissingBean({LimiterWebEndpoint.class, LimiterReactiveWebEndpoint.class})
    LimiterWebEndpoint limiterWebEndpoint(
            LimiterEndpoint endpoint, ObjectProvider<RequestExplainer> explainer, KeyHash hash) {
        ClassLoader loader = getClass().getClassLoader();
        boolean servlets = ClassUtils.isPresent("jakarta.servlet.http.HttpServletResponse", loader)
                && ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", loader);
        return new LimiterWebEndpoint(
                endpoint,
                new RequestExplanations(explainer.getIfAvailable(), hash),
                servlets ? new ServletExchange() : WebExchange.UNKNOWN);
    }
}
