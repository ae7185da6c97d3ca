package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.actuate.endpoint.LimiterEndpoint;
import dev.limiter.spring.web.endpoint.NoStoreFilter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.DispatcherServlet;

/** Keeps all answers of the endpoint out of caches, on whichever port it is. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnLimiter
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnAvailableEndpoint(LimiterEndpoint.class)
public final class LimiterManagementConfiguration {

    private static final EndpointId ENDPOINT = EndpointId.of("limiter");

    @Bean
    FilterRegistrationBean<NoStoreFilter> limiterEndpointCacheControl(ObjectProvider<PathMappedEndpoints> endpoints) {
        FilterRegistrationBean<NoStoreFilter> registration = new FilterRegistrationBean<>(new NoStoreFilter(() -> {
            PathMappedEndpoints all = endpoints.getIfAvailable();
            return all == null ? null : all.getPath(ENDPOINT);
        }));
        registration.setName("limiterEndpointCacheControl");
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }
}
