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
 * Lets MockMvc run the filters of an application, as a server does. Without them {@code charge-if} gives nothing back,
 * and rules of {@code phase: request} decide only where a request comes to an endpoint.
 *
 * <pre>{@code
 * MockMvcTester mvc = MockMvcTester.from(application, builder -> builder.apply(applicationFilters()).build());
 * }</pre>
 *
 * <p>{@code @AutoConfigureMockMvc} of Spring Boot does the same.
 */
public final class LimiterMockMvc {

    private LimiterMockMvc() {}

    /** All filters that Spring Boot would register with a server, in that order. */
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
