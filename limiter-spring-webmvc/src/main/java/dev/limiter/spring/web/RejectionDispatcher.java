package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.rule.HeaderStyle;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.cors.CorsConfigurationSource;

/**
 * Passes rejected requests to the handler. Before, it writes the RateLimit fields, which replace the fields of an
 * earlier, refunded decision.
 */
public final class RejectionDispatcher {

    private final RejectionHandler handler;
    private final RuleDecider decider;
    private final HeaderStyle style;
    private final CrossOriginFields crossOrigin;

    /**
     * @param style the header style for limits of unknown rules
     * @param sources the CORS configuration of the application
     */
    public RejectionDispatcher(
            RejectionHandler handler,
            RuleDecider decider,
            HeaderStyle style,
            ObjectProvider<CorsConfigurationSource> sources) {
        this.handler = handler;
        this.decider = decider;
        this.style = style;
        this.crossOrigin = new CrossOriginFields(sources);
    }

    /**
     * Writes the response, which must not be committed. A rejected include is left out of its page, because an included
     * resource can set neither status nor fields, and must not erase the content of the page.
     */
    void handle(
            ServletRequestDecisions decisions,
            HttpServletRequest request,
            HttpServletResponse response,
            Decision decision)
            throws IOException {
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            return;
        }
        crossOrigin.allow(request, response);
        if (handler instanceof ProblemRejectionHandler ours) {
            ours.delay(decisions);
        }
        writeFields(decisions, response, decision);
        handler.handle(request, response, decision);
    }

    /** Writes the RateLimit fields only. */
    void writeFields(ServletRequestDecisions decisions, HttpServletResponse response, Decision decision) {
        decisions.writeRejection(decider::peek, decision, style).join();
        CrossOriginFields.expose(response, List.of("Retry-After"));
    }
}
