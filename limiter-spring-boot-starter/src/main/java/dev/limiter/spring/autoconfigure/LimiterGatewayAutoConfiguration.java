package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.NamedRules;
import dev.limiter.spring.web.GatewayRouteFilter;
import dev.limiter.spring.web.LimiterFilterFunctions;
import dev.limiter.spring.web.RequestGate;
import dev.limiter.spring.web.ServletCurrentRequest;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.webflux.CurrentExchange;
import dev.limiter.spring.webflux.ExchangeGate;
import dev.limiter.spring.webflux.LimiterGatewayFilterFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.filter.FilterSupplier;
import org.springframework.cloud.gateway.server.mvc.filter.SimpleFilterSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration of the filter {@code Limiter} for routes of Spring Cloud Gateway. Active even with {@code
 * limiter.enabled: false}, because routes need the filter; it then permits everything.
 */
@AutoConfiguration(after = {LimiterWebAutoConfiguration.class, LimiterWebFluxAutoConfiguration.class})
public final class LimiterGatewayAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(AbstractGatewayFilterFactory.class)
    static class ServerWebFlux {

        @Bean
        @ConditionalOnBean(ExchangeGate.class)
        LimiterGatewayFilterFactory limiterGatewayFilterFactory(
                Rules rules, CurrentExchange requests, ExchangeGate gate) {
            return new LimiterGatewayFilterFactory(new NamedRules(rules), requests, gate);
        }

        @Bean
        @ConditionalOnMissingBean
        LimiterGatewayFilterFactory limiterUnlimitedGatewayFilterFactory() {
            return new LimiterGatewayFilterFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(FilterSupplier.class)
    static class ServerWebMvc {

        @Bean
        FilterSupplier limiterFilterFunctions() {
            return new SimpleFilterSupplier(LimiterFilterFunctions.class);
        }

        /** Not lazy: mistakes must not wait for the first request. */
        @Bean
        @Lazy(false)
        @ConditionalOnBean(RequestGate.class)
        GatewayRouteFilter limiterGatewayRouteFilter(
                Rules rules,
                ServletCurrentRequest requests,
                Endpoints endpoints,
                RequestGate gate,
                ObjectProvider<GatewayMvcProperties> configuration) {
            return new GatewayRouteFilter(new NamedRules(rules), requests, endpoints, gate, configuration);
        }
    }
}
