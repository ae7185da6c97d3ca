package dev.limiter.test;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.web.servlet.ServletContextInitializerBeans;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.test.web.servlet.setup.ConfigurableMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcConfigurer;
import org.springframework.web.context.WebApplicationContext;

/**
 * Adds the filters of an application to MockMvc, as in a server. Without them, {@code charge-if} refunds nothing, and
 * rules with {@code phase: request} apply only to requests that reach an endpoint.
 *
 * <pre>{@code
 * MockMvcTester mvc = MockMvcTester.from(application, builder -> builder.apply(applicationFilters()).build());
 * }</pre>
 *
 * <p>Not needed with {@code @AutoConfigureMockMvc} of Spring Boot.
 */
public final class LimiterMockMvc {

    private LimiterMockMvc() {}

    /** Returns a configurer that adds all filters that Spring Boot would register with a server, in the same order. */
    public static MockMvcConfigurer applicationFilters() {
        return new MockMvcConfigurer() {
            @Override
            public @Nullable RequestPostProcessor beforeMockMvcCreated(
                    ConfigurableMockMvcBuilder<?> builder, WebApplicationContext context) {
                new ServletContextInitializerBeans(
                                context, FilterRegistrationBean.class, DelegatingFilterProxyRegistrationBean.class)
                        .forEach(initializer -> add(initializer, builder));
                return null;
            }
        };
    }

    private static void add(ServletContextInitializer initializer, ConfigurableMockMvcBuilder<?> builder) {
        if (initializer instanceof AbstractFilterRegistrationBean<?> registration && registration.isEnabled()) {
            Filter filter = Objects.requireNonNull(registration.getFilter());
            Collection<String> patterns = registration.getUrlPatterns();
            EnumSet<DispatcherType> types = registration.determineDispatcherTypes();
            builder.addFilter(filter, null, registration.getInitParameters(), types, patterns.toArray(String[]::new));
        }
    }
}
