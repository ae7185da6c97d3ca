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
 * Has a rejected request answered. The fields with the standing of the limits come first, for any handler: they replace
 * the fields of an earlier decision about the request, whose permits have been given back since.
 */
public final class RejectionDispatcher {

    private final RejectionHandler handler;
    private final RuleDecider decider;
    private final HeaderStyle style;
    private final CrossOriginFields crossOrigin;

    /**
     * @param style of limits that are not known to belong to any rule
     * @param sources what the application allows pages of other origins
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
     * Answers a request whose answer is not under way yet. A rejected fragment stays out of the page that includes it:
     * an included resource can set neither status nor fields, and must not erase what the page has written so far.
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

    /** Tells where the limits stand, and leaves the answer to others. */
    void writeFields(ServletRequestDecisions decisions, HttpServletResponse response, Decision decision) {
        decisions.writeRejection(decider::peek, decision, style).join();
        CrossOriginFields.expose(response, List.of("Retry-After"));
    }
}
