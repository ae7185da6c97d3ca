package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.check.KeylessRuleCheck;
import dev.limiter.spring.check.ParallelChargesCheck;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.edge.UnusedAnnotationsCheck;
import dev.limiter.spring.operate.RequestExplainer;
import dev.limiter.spring.webflux.CurrentExchange;
import dev.limiter.spring.webflux.ExchangeExplainer;
import dev.limiter.spring.webflux.ExchangeGate;
import dev.limiter.spring.webflux.HandlerFallbackCheck;
import dev.limiter.spring.webflux.LimitingHandlerAdapter;
import dev.limiter.spring.webflux.ProblemServerRejectionHandler;
import dev.limiter.spring.webflux.RateLimitExceptionHandler;
import dev.limiter.spring.webflux.RateLimitWebFilter;
import dev.limiter.spring.webflux.ReactiveEndpoints;
import dev.limiter.spring.webflux.ReactiveMappings;
import dev.limiter.spring.webflux.ServerRejectionHandler;
import dev.limiter.spring.webflux.ServerRejections;
import dev.limiter.spring.webflux.ServerResourceResolver;
import dev.limiter.spring.webflux.UnmatchedServerPathsCheck;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.util.pattern.PathPatternParser;

/** Limits requests in Spring WebFlux and Spring Cloud Gateway. */
@AutoConfiguration(after = LimiterMethodAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnLimiter
public final class LimiterWebFluxAutoConfiguration {

    @Bean
    ClientAddresses limiterClientAddresses(LimiterSettings settings, Environment environment) {
        ForwardHeadersCheck.checkReactive(environment);
        return new ClientAddresses(settings.web().addresses());
    }

    @Bean
    ReactiveMappings limiterHandlerMappings(ApplicationContext application) {
        return new ReactiveMappings(application);
    }

    /** Read with the first request. */
    @Bean
    Supplier<PathPatternParser> limiterPatternParser(ObjectProvider<ReactiveMappings> mappings) {
        return () -> mappings.getObject().patternParser();
    }

    @Bean
    CurrentExchange limiterCurrentRequest(
            ClientAddresses addresses, ReactiveMappings mappings, ObjectProvider<MethodLimits> methodLimits) {
        return new CurrentExchange(addresses, mappings, methodLimits);
    }

    @Bean
    @ConditionalOnMissingBean
    ServerRejectionHandler limiterRejectionHandler(LimiterSettings settings, ApplicationContext messages) {
        return new ProblemServerRejectionHandler(
                settings.web().status(), settings.web().retryAfterJitter(), messages);
    }

    @Bean
    ServerRejections limiterRejections(
            ServerRejectionHandler handler,
            RuleDecider decider,
            LimiterSettings settings,
            ObjectProvider<CorsConfigurationSource> crossOrigin) {
        return new ServerRejections(handler, decider, settings.web().headers(), crossOrigin);
    }

    @Bean
    RateLimitExceptionHandler limiterExceptionHandler(ServerRejections rejections, CurrentExchange requests) {
        return new RateLimitExceptionHandler(rejections, requests);
    }

    @Bean
    ReactiveEndpoints limiterEndpoints(
            Rules rules,
            LimiterSettings settings,
            ReactiveMappings mappings,
            ObjectProvider<MethodLimits> methodLimits) {
        return new ReactiveEndpoints(
                rules,
                mappings,
                methodLimits.getIfAvailable(() -> MethodLimits.NONE),
                settings.web().staticResources());
    }

    @Bean
    ExchangeGate limiterRequestGate(
            RuleDecider decider, ServerRejections rejections, ObjectProvider<ServerResourceResolver> resources) {
        return new ExchangeGate(decider, rejections, resources.getIfAvailable());
    }

    @Bean
    LimitingHandlerAdapter limiterHandlerAdapter(
            ReactiveEndpoints endpoints,
            ExchangeGate gate,
            CurrentExchange requests,
            ApplicationContext application,
            LimiterSettings settings) {
        return new LimitingHandlerAdapter(
                endpoints, gate, requests, application, settings.web().enabled());
    }

    /** Not lazy: mistakes must not wait for the first request. */
    @Bean
    @Lazy(false)
    HandlerFallbackCheck limiterHandlerFallbacks(ReactiveMappings mappings, MethodLimits methodLimits) {
        return new HandlerFallbackCheck(mappings, methodLimits);
    }

    @Bean
    RateLimitWebFilter limiterFilter(
            CurrentExchange requests,
            RuleDecider decider,
            ServerRejections rejections,
            ExchangeGate gate,
            Rules rules,
            LimiterSettings settings,
            Environment environment) {
        return new RateLimitWebFilter(
                requests,
                decider,
                rejections,
                gate,
                settings.web().enabled() ? rules : null,
                FilterOrder.of(environment));
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    UnmatchedServerPathsCheck limiterRulesWithoutEndpoint(
            Rules rules, ReactiveMappings mappings, ApplicationContext application) {
        return new UnmatchedServerPathsCheck(rules, mappings, application);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    KeylessRuleCheck limiterRulesWithoutKey(Rules rules) {
        return new KeylessRuleCheck(rules);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    ParallelChargesCheck limiterParallelCharges(Rules rules) {
        return new ParallelChargesCheck(rules);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    UnusedAnnotationsCheck limiterSwallowedAnnotations(Rules rules, ReactiveMappings mappings) {
        return new UnusedAnnotationsCheck(rules, mappings::annotated);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    RequestExplainer limiterRequestExplainer(
            Rules rules,
            ReactiveMappings mappings,
            ReactiveEndpoints endpoints,
            ClientAddresses addresses,
            RateLimiters limiters,
            ServerRejections rejections,
            ObjectProvider<ServerResourceResolver> resources,
            Environment environment) {
        return new ExchangeExplainer(
                rules,
                mappings,
                endpoints,
                addresses,
                limiters,
                rejections,
                resources.getIfAvailable(),
                StringUtils.trimTrailingCharacter(environment.getProperty("spring.webflux.base-path", ""), '/'));
    }
}
