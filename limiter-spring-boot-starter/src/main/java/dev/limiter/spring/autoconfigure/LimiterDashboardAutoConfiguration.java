package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.operate.series.DecisionSeries;
import dev.limiter.spring.web.dashboard.DashboardMapping;
import dev.limiter.spring.web.dashboard.DashboardMapping.Csrf;
import dev.limiter.spring.web.dashboard.SecondsStream;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.DeferredCsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * The page for those on call, where it is asked for; its data come from the endpoint, with the access that this has.
 */
@AutoConfiguration(after = LimiterEndpointAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(value = DispatcherServlet.class, name = "jakarta.servlet.http.HttpServletRequest")
@ConditionalOnSetting("limiter.dashboard.enabled")
@ConditionalOnLimiter
public final class LimiterDashboardAutoConfiguration {

    private static final String ACTUATOR =
            "org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint";

    /** The page asks the endpoint for all that it shows. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(ACTUATOR)
    static class WithoutActuator {

        /**
         * @throws LimiterConfigurationException in any case
         */
        @Bean
        SmartInitializingSingleton limiterDashboardWithoutActuator() {
            throw problem(
                    "enabled",
                    true,
                    "The page asks an endpoint of Actuator, which is not on the class path: add"
                            + " spring-boot-starter-actuator, or remove this.");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    static class WithActuator {

        private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

        /** The bean of Spring Security through which all requests go. */
        private static final String SECURITY = "springSecurityFilterChain";

        /**
         * @throws LimiterConfigurationException if the page would be public, its path is none, or the endpoint has
         *     another
         *     port
         */
        @Bean
        DashboardMapping limiterDashboardMapping(
                ApplicationContext application,
                Environment environment,
                ObjectProvider<PathMappedEndpoints> endpoints,
                ObjectProvider<SecondsStream> stream) {
            String path = path(environment);
            if (!PATH.matcher(path).matches()) {
                throw problem("path", path, "This must be a path such as /limiter.");
            }
            if (ManagementPortType.get(environment) != ManagementPortType.SAME) {
                throw problem(
                        "enabled",
                        true,
                        "The page asks the endpoint on its own port, and management.server.port is "
                                + environment.getProperty("management.server.port") + ".");
            }
            if (!application.containsBean(SECURITY)
                    && !isLoopback(environment.getProperty("server.address", InetAddress.class))
                    && !environment.getProperty("limiter.dashboard.insecure", Boolean.class, false)) {
                throw problem(
                        "enabled",
                        true,
                        "Everybody who reaches the server could use the page: there is no Spring Security, and"
                                + " server.address is no loopback address.");
            }
            boolean security = ClassUtils.isPresent(
                    "org.springframework.security.web.csrf.CsrfToken", application.getClassLoader());
            return new DashboardMapping(
                    path,
                    id -> path(endpoints.getIfAvailable(), id),
                    security ? SecurityTokens::of : request -> null,
                    stream.getIfAvailable());
        }

        /** The endpoints of the application are known when all else is. */
        @Bean
        SmartInitializingSingleton limiterDashboardPathCheck(
                Environment environment, ObjectProvider<PathMappedEndpoints> endpoints) {
            return () -> endpoints.ifAvailable(all -> {
                String path = path(environment);
                for (String taken : all.getAllPaths()) {
                    if (path.equals(taken) || path.startsWith(taken + "/")) {
                        throw problem("path", path, "The page would hide the endpoint " + taken + " of Actuator.");
                    }
                }
            });
        }

        @Bean(destroyMethod = "stop")
        @ConditionalOnBean(DecisionSeries.class)
        SecondsStream limiterSecondsStream(DecisionSeries series) {
            return new SecondsStream(series);
        }

        private static boolean isLoopback(@Nullable InetAddress address) {
            return address != null && address.isLoopbackAddress();
        }

        private static String path(Environment environment) {
            return environment.getProperty("limiter.dashboard.path", "/limiter");
        }

        private static @Nullable String path(@Nullable PathMappedEndpoints endpoints, String id) {
            return endpoints == null ? null : endpoints.getPath(EndpointId.of(id));
        }

        /** A class of its own, since applications without Spring Security have none of its types. */
        private static final class SecurityTokens {

            /**
             * The token masked, and as it is: with {@code csrf(CsrfConfigurer::spa)}, a header has to have that of the
             * cookie. The masked one is first: most applications take that.
             */
            static @Nullable Csrf of(RequestAttributes request) {
                if (!(attribute(request, CsrfToken.class) instanceof CsrfToken masked)) {
                    return null;
                }
                String token = masked.getToken();
                return attribute(request, DeferredCsrfToken.class) instanceof DeferredCsrfToken plain
                        ? new Csrf(
                                masked.getHeaderName(),
                                Stream.of(token, plain.get().getToken())
                                        .distinct()
                                        .toList())
                        : new Csrf(masked.getHeaderName(), List.of(token));
            }

            private static @Nullable Object attribute(RequestAttributes request, Class<?> type) {
                return request.getAttribute(type.getName(), RequestAttributes.SCOPE_REQUEST);
            }
        }
    }

    private static LimiterConfigurationException problem(String key, Object value, String reason) {
        return new LimiterConfigurationException(
                new Problem(MessageCode.DASHBOARD, "limiter.dashboard." + key, value, reason));
    }
}
