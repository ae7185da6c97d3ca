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
import dev.limiter.spring.web.EarlyRules;
import dev.limiter.spring.web.PreflightDetector;
import dev.limiter.spring.web.ProblemRejectionHandler;
import dev.limiter.spring.web.RateLimitExceptionResolver;
import dev.limiter.spring.web.RateLimitFilter;
import dev.limiter.spring.web.RateLimitInterceptor;
import dev.limiter.spring.web.RejectionDispatcher;
import dev.limiter.spring.web.RejectionHandler;
import dev.limiter.spring.web.RequestGate;
import dev.limiter.spring.web.ResourceResolver;
import dev.limiter.spring.web.ServletCurrentRequest;
import dev.limiter.spring.web.ServletRequestExplainer;
import dev.limiter.spring.web.UnmatchedPathsCheck;
import dev.limiter.spring.web.WaitingInterceptor;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Auto-configuration of limits on Spring MVC requests, and of the responses to rejected requests and calls. */
@AutoConfiguration(after = LimiterMethodAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(value = DispatcherServlet.class, name = "jakarta.servlet.http.HttpServletRequest")
@ConditionalOnLimiter
public final class LimiterWebAutoConfiguration {

    private static final String FILTER = "limiterFilter";

    @Bean
    ClientAddresses limiterClientAddresses(LimiterSettings settings, Environment environment) {
        ForwardHeadersCheck.check(environment);
        return new ClientAddresses(settings.web().addresses());
    }

    @Bean
    ServletCurrentRequest limiterCurrentRequest(ClientAddresses addresses) {
        return new ServletCurrentRequest(addresses);
    }

    @Bean
    @ConditionalOnMissingBean
    RejectionHandler limiterRejectionHandler(LimiterSettings settings, ApplicationContext messages) {
        return new ProblemRejectionHandler(
                settings.web().status(), settings.web().retryAfterJitter(), messages);
    }

    @Bean
    RejectionDispatcher limiterRejections(
            RejectionHandler handler,
            RuleDecider decider,
            LimiterSettings settings,
            ObjectProvider<CorsConfigurationSource> crossOrigin) {
        return new RejectionDispatcher(handler, decider, settings.web().headers(), crossOrigin);
    }

    @Bean
    RateLimitExceptionResolver limiterExceptionResolver(
            RejectionDispatcher rejections, ServletCurrentRequest requests, ApplicationContext context) {
        return new RateLimitExceptionResolver(rejections, requests, context);
    }

    @Bean
    HandlerMappings limiterHandlerMappings(ApplicationContext context) {
        return new HandlerMappings(context);
    }

    @Bean
    Endpoints limiterEndpoints(
            Rules rules,
            LimiterSettings settings,
            HandlerMappings mappings,
            ObjectProvider<MethodLimits> methodLimits) {
        return new Endpoints(
                rules,
                mappings,
                methodLimits.getIfAvailable(() -> MethodLimits.NONE),
                settings.web().staticResources());
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    UnmatchedPathsCheck limiterRulesWithoutEndpoint(
            Rules rules, ObjectProvider<HandlerMapping> mappings, ApplicationContext application) {
        return new UnmatchedPathsCheck(rules, mappings, application);
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
    UnusedAnnotationsCheck limiterSwallowedAnnotations(
            Rules rules, ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
        return new UnusedAnnotationsCheck(
                rules,
                () -> mappings.stream()
                        .flatMap(mapping -> mapping.getHandlerMethods().entrySet().stream())
                        .map(mapped -> new UnusedAnnotationsCheck.Mapped(
                                mapped.getValue().getMethod(),
                                mapped.getValue().getBeanType(),
                                mapped.getKey().getPatternValues())));
    }

    @Bean
    RequestGate limiterRequestGate(
            RuleDecider decider, RejectionDispatcher rejections, ObjectProvider<ResourceResolver> resources) {
        return new RequestGate(decider, rejections, resources.getIfAvailable());
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    WaitingInterceptor limiterWaitingInterceptor(RequestGate gate) {
        return new WaitingInterceptor(gate);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    RateLimitInterceptor limiterInterceptor(
            Endpoints endpoints,
            ServletCurrentRequest requests,
            RequestGate gate,
            HandlerMappings mappings,
            WaitingInterceptor waiting) {
        return new RateLimitInterceptor(endpoints, requests, gate, mappings, waiting);
    }

    /**
     * A bean, so that all mappings of every {@link DispatcherServlet} find it, even those that ignore {@link
     * WebMvcConfigurer}.
     */
    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    MappedInterceptor limiterMappedInterceptor(RateLimitInterceptor interceptor) {
        return new MappedInterceptor(null, interceptor);
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    WebMvcConfigurer limiterWebMvcConfigurer(WaitingInterceptor waiting) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(waiting).order(Ordered.LOWEST_PRECEDENCE);
            }
        };
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    RequestExplainer limiterRequestExplainer(
            Rules rules,
            HandlerMappings mappings,
            Endpoints endpoints,
            ClientAddresses addresses,
            RateLimiters limiters,
            ObjectProvider<CorsConfigurationSource> crossOrigin,
            ObjectProvider<ResourceResolver> resources,
            Environment environment) {
        return new ServletRequestExplainer(
                rules,
                mappings,
                endpoints,
                addresses,
                limiters,
                new PreflightDetector(crossOrigin),
                resources.getIfAvailable(),
                prefix(environment, "server.servlet.context-path") + prefix(environment, "spring.mvc.servlet.path"));
    }

    private static String prefix(Environment environment, String property) {
        String path = environment.getProperty(property, "/");
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    @Bean
    @ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
    EarlyRules limiterEarlyRules(Rules rules, RequestGate gate, ObjectProvider<CorsConfigurationSource> crossOrigin) {
        return new EarlyRules(rules, gate, new PreflightDetector(crossOrigin));
    }

    @Bean(name = FILTER, destroyMethod = "destroy")
    RateLimitFilter limiterFilter(
            ServletCurrentRequest requests, RuleDecider decider, ObjectProvider<EarlyRules> earlyRules) {
        return new RateLimitFilter(requests, decider, earlyRules.getIfAvailable());
    }

    /** Delegates to the filter by bean name, because the server needs it before other beans exist. */
    @Bean
    DelegatingFilterProxyRegistrationBean limiterFilterRegistration(Environment environment) {
        DelegatingFilterProxyRegistrationBean registration = new DelegatingFilterProxyRegistrationBean(FILTER);
        registration.setOrder(FilterOrder.of(environment));
        registration.setDispatcherTypes(RateLimitFilter.dispatches());
        return registration;
    }
}
