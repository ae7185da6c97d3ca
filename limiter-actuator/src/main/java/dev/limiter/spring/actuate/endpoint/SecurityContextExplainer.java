package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.HypotheticalRequest;
import dev.limiter.spring.operate.RequestExplainer;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Has the application's resolvers and expressions find the principal that is asked about in Spring Security's context,
 * and never the operator who asks. Thread-safe.
 */
public final class SecurityContextExplainer implements RequestExplainer {

    private static final String ROLE = "ROLE_";

    private final RequestExplainer explainer;

    public SecurityContextExplainer(RequestExplainer explainer) {
        this.explainer = explainer;
    }

    @Override
    public Explanation explain(HypotheticalRequest request) {
        SecurityContext operators = SecurityContextHolder.getContext();
        SecurityContext asked = SecurityContextHolder.createEmptyContext();
        asked.setAuthentication(authentication(request));
        SecurityContextHolder.setContext(asked);
        try {
            return explainer.explain(request);
        } finally {
            SecurityContextHolder.setContext(operators);
        }
    }

    private static Authentication authentication(HypotheticalRequest request) {
        String principal = request.principal();
        return principal == null
                ? new AnonymousAuthenticationToken(
                        "explain", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"))
                : UsernamePasswordAuthenticationToken.authenticated(
                        principal, null, AuthorityUtils.createAuthorityList(authorities(request)));
    }

    private static String[] authorities(HypotheticalRequest request) {
        return request.roles().stream()
                .map(role -> role.startsWith(ROLE) ? role : ROLE + role)
                .toArray(String[]::new);
    }
}
