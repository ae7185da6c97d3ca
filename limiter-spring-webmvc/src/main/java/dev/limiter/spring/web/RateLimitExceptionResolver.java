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
 * Answers a rejection that leaves a handler like one by the interceptor. Comes before the application's own handlers of
 * exceptions, of which a catch-all would make a server error of it, but leaves it to a handler of exactly this one.
 * An expression that fails on a method is a server error as in the interceptor: a catch-all might take it for a mistake
 * of the client, and tell what the expression is.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private final RejectionDispatcher rejections;
    private final ServletCurrentRequest requests;
    private final Supplier<ExactExceptionHandlers> applicationHandlers;

    public RateLimitExceptionResolver(
            RejectionDispatcher rejections, ServletCurrentRequest requests, ApplicationContext context) {
        this.rejections = rejections;
        this.requests = requests;
        // with the first rejection: this is one of the beans that they are taken from
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
            return null; // the client has what was charged so far
        }
        decisions.giveBack();
        decisions.addRejection(rejection);
        ExactExceptionHandlers exact = applicationHandlers.get();
        HandlerMethod found = exact.find(handler);
        if (found != null) {
            rejections.writeFields(decisions, response, rejection.decision());
            ModelAndView answer = exact.handle(found, request, response, rejection);
            if (answer != null || response.isCommitted()) {
                return answer;
            }
        }
        try {
            rejections.handle(decisions, request, response, rejection.decision());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new ModelAndView();
    }

    /** The cause of an exception from another thread, which the waiting thread has wrapped. */
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
