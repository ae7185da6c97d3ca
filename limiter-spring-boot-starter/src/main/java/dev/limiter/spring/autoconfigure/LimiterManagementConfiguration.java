package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.endpoint.LimiterEndpoint;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
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

/**
 * Keeps all answers of the endpoint out of caches, on whichever port it is: also what Actuator answers itself, such as
 * 405, and what a security filter does.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnLimiter
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnAvailableEndpoint(LimiterEndpoint.class)
public final class LimiterManagementConfiguration {

    private static final EndpointId ENDPOINT = EndpointId.of("limiter");

    @Bean
    FilterRegistrationBean<Filter> limiterEndpointCacheControl(ObjectProvider<PathMappedEndpoints> endpoints) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
            if (request instanceof HttpServletRequest http
                    && response instanceof HttpServletResponse answer
                    && isAbout(http, endpoints.getIfAvailable())) {
                answer.setHeader("Cache-Control", "no-store");
            }
            chain.doFilter(request, response);
        });
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }

    /** Wherever the servlet is mapped that serves it. */
    private static boolean isAbout(HttpServletRequest request, @Nullable PathMappedEndpoints endpoints) {
        String path = endpoints == null ? null : endpoints.getPath(ENDPOINT);
        return path != null && request.getRequestURI().contains(path);
    }
}
