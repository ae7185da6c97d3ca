package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.check.StartupCheck;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnResource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.DeferredCsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Auto-configuration of the page at {@code /limiter}, if {@code limiter-dashboard} is on the class path. It is served
 * only behind Spring Security or on a loopback address. The page uses only the endpoint, with its access rules.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(value = DispatcherServlet.class, name = "jakarta.servlet.http.HttpServletRequest")
@ConditionalOnResource(resources = DashboardPage.FILES + "index.html")
public final class LimiterDashboardAutoConfiguration {

    /** The filter bean of Spring Security. */
    private static final String SECURITY = "springSecurityFilterChain";

    private final DashboardPage page;
    private final ApplicationContext application;

    LimiterDashboardAutoConfiguration(ApplicationContext application) {
        this.page = new DashboardPage(application, SECURITY);
        this.application = application;
    }

    /** Hides the files of a disabled page, because Spring Boot serves static files from every jar. */
    @Bean
    WebMvcConfigurer limiterDashboardFiles() {
        return new WebMvcConfigurer() {
            @Override
            public void addResourceHandlers(ResourceHandlerRegistry registry) {
                registry.addResourceHandler("/limiter/**")
                        .addResourceLocations(page.location())
                        .setCacheControl(CacheControl.noCache());
            }
        };
    }

    @Bean
    RouterFunction<ServerResponse> limiterDashboardRoutes() {
        if (!page.isServed()) {
            return request -> Optional.empty();
        }
        boolean security =
                ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", application.getClassLoader());
        return RouterFunctions.route()
                // relative, so that it works below any context path and servlet path
                .GET(
                        "/limiter",
                        request -> ServerResponse.status(HttpStatus.FOUND)
                                .location(URI.create("limiter/"))
                                .build())
                .GET(
                        "/limiter/",
                        request -> ServerResponse.ok()
                                .contentType(MediaType.TEXT_HTML)
                                .cacheControl(CacheControl.noCache())
                                .body(page.index()))
                .GET(
                        "/limiter/connection.json",
                        request -> ServerResponse.ok()
                                .contentType(MediaType.APPLICATION_JSON)
                                .cacheControl(CacheControl.noStore())
                                .body(page.connection(security ? Csrf.of(request) : Map.of())))
                .build();
    }

    @Bean
    StartupCheck limiterDashboardCheck() {
        return page;
    }

    /** A separate class, because applications without Spring Security lack these types. */
    private static final class Csrf {

        /**
         * Returns the header, and the token both masked and raw. Most applications expect the masked one, so it is
         * first; {@code csrf(CsrfConfigurer::spa)} expects the raw token of the cookie.
         */
        static Map<String, Object> of(ServerRequest request) {
            return attribute(request, CsrfToken.class)
                    .map(masked ->
                            Map.<String, Object>of("header", masked.getHeaderName(), "tokens", tokens(masked, request)))
                    .orElse(Map.of());
        }

        private static List<String> tokens(CsrfToken masked, ServerRequest request) {
            Stream<String> plain = attribute(request, DeferredCsrfToken.class).stream()
                    .map(token -> token.get().getToken());
            return Stream.concat(Stream.of(masked.getToken()), plain).distinct().toList();
        }

        private static <T> Optional<T> attribute(ServerRequest request, Class<T> type) {
            return request.attribute(type.getName()).map(type::cast);
        }
    }
}
