package dev.limiter.spring.web;

import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.CurrentRequest;
import dev.limiter.spring.response.PolicyTexts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Provides the request that Spring has bound to the thread, including threads of asynchronous work that Spring MVC
 * started.
 */
public final class ServletCurrentRequest implements CurrentRequest {

    private final ClientAddresses addresses;
    private final PolicyTexts texts = new PolicyTexts();

    public ServletCurrentRequest(ClientAddresses addresses) {
        this.addresses = addresses;
    }

    @Override
    public @Nullable ServletRequestDecisions get() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
                || attributes.getResponse() == null) {
            return null;
        }
        try {
            return of(attributes.getRequest(), attributes.getResponse());
        } catch (IllegalStateException requestIsOver) {
            // The thread outlived the request that it inherited.
            return null;
        }
    }

    /** Returns the decisions about a request, with the request object of the first call. */
    ServletRequestDecisions begin(HttpServletRequest request, HttpServletResponse response) {
        ServletRequestDecisions known = ServletRequestDecisions.of(request);
        return known == null ? start(request, response) : known;
    }

    /** Returns the decisions about a request, with the current request object. */
    ServletRequestDecisions of(HttpServletRequest request, HttpServletResponse response) {
        ServletRequestDecisions known = ServletRequestDecisions.of(request);
        if (known == null) {
            return start(request, response);
        }
        known.continueWith(request, response, addresses);
        return known;
    }

    private ServletRequestDecisions start(HttpServletRequest request, HttpServletResponse response) {
        RequestView view = new ServletRequestView(request, addresses);
        return new ServletRequestDecisions(request, response, view, texts);
    }
}
