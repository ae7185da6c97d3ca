package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.check.StartupCheck;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnResource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.resource.ResourceWebHandler;
import reactor.core.publisher.Mono;

/** The page of {@code limiter-dashboard} at {@code /limiter} of a WebFlux application. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnResource(resources = DashboardPage.FILES + "index.html")
public final class LimiterWebFluxDashboardAutoConfiguration {

    /** The bean of Spring Security through which all requests go. */
    private static final String SECURITY = "org.springframework.security.config.annotation.web.reactive."
            + "WebFluxSecurityConfiguration.WebFilterChainFilter";

    private final DashboardPage page;

    LimiterWebFluxDashboardAutoConfiguration(ApplicationContext application) {
        this.page = new DashboardPage(application, SECURITY);
    }

    /**
     * Serves the files before a gateway (order 1) routes all paths. Hides those of a disabled page, because Spring Boot
     * serves static files from every jar.
     */
    @Bean
    HandlerMapping limiterDashboardFiles(ApplicationContext application) throws Exception {
        ResourceWebHandler files = new ResourceWebHandler();
        files.setLocations(List.of(application.getResource(page.location())));
        files.setCacheControl(CacheControl.noCache());
        files.afterPropertiesSet();
        return new SimpleUrlHandlerMapping(
                Map.of("/limiter/**", files), page.isServed() ? 0 : Ordered.LOWEST_PRECEDENCE - 2);
    }

    @Bean
    RouterFunction<ServerResponse> limiterDashboardRoutes(ApplicationContext application) {
        if (!page.isServed()) {
            return request -> Mono.empty();
        }
        boolean security = ClassUtils.isPresent(
                "org.springframework.security.web.server.csrf.CsrfToken", application.getClassLoader());
        return RouterFunctions.route()
                // relative: below the path of the application
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
                                .body(BodyInserters.fromResource(page.index())))
                .GET(
                        "/limiter/connection.json",
                        request -> (security ? Csrf.of(request) : Mono.just(Map.<String, Object>of()))
                                .flatMap(csrf -> ServerResponse.ok()
                                        .contentType(MediaType.APPLICATION_JSON)
                                        .cacheControl(CacheControl.noStore())
                                        .bodyValue(page.connection(csrf))))
                .build();
    }

    @Bean
    StartupCheck limiterDashboardCheck() {
        return page;
    }

    /** A class of its own: applications without Spring Security do not have its types. */
    private static final class Csrf {

        static Mono<Map<String, Object>> of(ServerRequest request) {
            Mono<CsrfToken> token = request.exchange().getAttributeOrDefault(CsrfToken.class.getName(), Mono.empty());
            return token.map(found -> Map.<String, Object>of(
                            "header", found.getHeaderName(), "tokens", List.of(found.getToken())))
                    .defaultIfEmpty(Map.of());
        }
    }
}
