package dev.limiter.spring.web;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.expression.RuleEvaluationException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Responds to a rejection that a handler throws like the interceptor does. It precedes the application's exception
 * handlers, because a catch-all handler would turn rejections into server errors. Handlers for exactly this exception
 * still apply. A failed expression is a server error as in the interceptor: a catch-all handler might report it as a
 * client error, and expose the expression.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private final RejectionDispatcher rejections;
    private final ServletCurrentRequest requests;
    private final Supplier<ExactExceptionHandlers> applicationHandlers;

    public RateLimitExceptionResolver(
            RejectionDispatcher rejections, ServletCurrentRequest requests, ApplicationContext context) {
        this.rejections = rejections;
        this.requests = requests;
        // created at the first rejection, because this is one of the resolvers that it looks up
        this.applicationHandlers = SingletonSupplier.of(() -> new ExactExceptionHandlers(context));
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        Throwable thrown = thrown(exception);
        if (thrown instanceof RuleEvaluationException && !response.isCommitted()) {
            return serverError(response);
        }
        if (!(thrown instanceof RateLimitExceededException rejection)) {
            return null;
        }
        ServletRequestDecisions decisions = requests.of(request, response);
        if (response.isCommitted()) {
            return null; // the response is sent, so nothing is refunded
        }
        decisions.giveBack();
        decisions.addRejection(rejection);
        ExactExceptionHandlers exact = applicationHandlers.get();
        HandlerMethod found = exact.find(handler);
        if (found != null) {
            rejections.writeFields(decisions, response, rejection.decision());
            ModelAndView result = exact.handle(found, request, response, rejection);
            if (result != null || response.isCommitted()) {
                return result;
            }
        }
        try {
            rejections.handle(decisions, request, response, rejection.decision());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new ModelAndView();
    }

    /** Unwraps an exception from another thread. */
    private static Throwable thrown(Exception exception) {
        Throwable cause = exception.getCause();
        return cause != null && (exception instanceof CompletionException || exception instanceof ExecutionException)
                ? cause
                : exception;
    }

    private static ModelAndView serverError(HttpServletResponse response) {
        try {
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new ModelAndView();
    }
}
