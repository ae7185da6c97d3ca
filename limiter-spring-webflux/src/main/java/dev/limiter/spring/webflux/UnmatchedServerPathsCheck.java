package dev.limiter.spring.webflux;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.edge.UnmatchedPaths;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Finds rules with paths that no endpoint of a WebFlux application has. In a gateway, where routes may have them, finds
 * rules for routes that do not exist.
 */
public final class UnmatchedServerPathsCheck implements StartupCheck {

    private static final String GATEWAY = "org.springframework.cloud.gateway.route.RouteLocator";

    private static final Duration READING = Duration.ofSeconds(5);

    private final Rules rules;
    private final ReactiveMappings mappings;
    private final ApplicationContext application;

    public UnmatchedServerPathsCheck(Rules rules, ReactiveMappings mappings, ApplicationContext application) {
        this.rules = rules;
        this.mappings = mappings;
        this.application = application;
    }

    @Override
    public List<Finding> findings() {
        if (!hasRoutes()) {
            return UnmatchedPaths.findings(rules.current(), mappings.served(), false);
        }
        // blocks the thread that starts the application; finds nothing if the routes cannot be read
        Set<String> routes =
                GatewayRoute.ids(application).timeout(READING).onErrorComplete().block();
        return routes == null ? List.of() : UnmatchedPaths.unknownRoutes(rules.current(), routes);
    }

    /** By its name: the gateway is optional. */
    private boolean hasRoutes() {
        ClassLoader loader = application.getClassLoader();
        return ClassUtils.isPresent(GATEWAY, loader)
                && application.getBeanNamesForType(ClassUtils.resolveClassName(GATEWAY, loader), true, false).length
                        > 0;
    }
}
