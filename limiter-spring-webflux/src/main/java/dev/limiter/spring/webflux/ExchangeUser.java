package dev.limiter.spring.webflux;

import java.security.Principal;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;
import reactor.core.publisher.Mono;

/**
 * The user and the session of a request, which are not known without waiting for them.
 *
 * @param principal null if no user is logged in
 * @param sessionId null without a session that exists
 * @param roles whether the user has a role
 */
record ExchangeUser(@Nullable Principal principal, @Nullable String sessionId, Predicate<String> roles) {

    static final ExchangeUser UNKNOWN = new ExchangeUser(null, null);

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.Authentication", ExchangeUser.class.getClassLoader());

    private ExchangeUser(@Nullable Principal principal, @Nullable String sessionId) {
        this(principal, sessionId, role -> SECURITY && Roles.has(principal, role));
    }

    /** The user and the session as of now; creates no session. */
    static Mono<ExchangeUser> of(ServerWebExchange exchange) {
        Mono<ExchangeUser> anonymous = session(exchange, null);
        return exchange.getPrincipal()
                .flatMap(principal -> session(exchange, principal))
                .switchIfEmpty(anonymous);
    }

    private static Mono<ExchangeUser> session(ServerWebExchange exchange, @Nullable Principal principal) {
        return exchange.getSession()
                .filter(WebSession::isStarted)
                .map(session -> new ExchangeUser(principal, session.getId()))
                .defaultIfEmpty(new ExchangeUser(principal, null));
    }

    boolean hasRole(String role) {
        return roles.test(role);
    }

    /** A class of its own, loaded only if Spring Security is present. */
    private static final class Roles {

        private static final String PREFIX = "ROLE_";

        static boolean has(@Nullable Principal principal, String role) {
            String authority = role.startsWith(PREFIX) ? role : PREFIX + role;
            return principal instanceof Authentication user
                    && user.getAuthorities().stream().anyMatch(granted -> authority.equals(granted.getAuthority()));
        }
    }
}
