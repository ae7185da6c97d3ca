package dev.limiter.spring.web;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.AsyncHandlerInterceptor;

/**
 * Releases what a request holds of concurrency limits once it is truly done: when its handler has returned or failed, or,
 * if it went on asynchronously, when the container says that it is over, however that came about.
 */
public final class RequestCompletion implements AsyncHandlerInterceptor {

    /** What was decided before the request came to Spring MVC was told before it was known who may read the answer. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getDispatcherType() == DispatcherType.REQUEST && ServletRequestDecisions.of(request) != null) {
            RateLimitHeaders.expose(response);
        }
        return true;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        DispatcherType type = request.getDispatcherType();
        // a request that waits for its turn is not done, though its handler was not called
        boolean outermost =
                (type == DispatcherType.REQUEST || type == DispatcherType.ASYNC) && !request.isAsyncStarted();
        ServletRequestDecisions decisions = outermost ? ServletRequestDecisions.of(request) : null;
        if (decisions != null) {
            decisions.close();
        }
    }

    @Override
    public void afterConcurrentHandlingStarted(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions != null && request.isAsyncStarted()) {
            request.getAsyncContext().addListener(new Completion(decisions));
        }
    }

    /** Releases what is held now, or if it goes on asynchronously, when the container says that it is over. */
    static void closeWhenDone(HttpServletRequest request, ServletRequestDecisions decisions) {
        if (!request.isAsyncStarted()) {
            decisions.close();
            return;
        }
        try {
            request.getAsyncContext().addListener(new Completion(decisions));
        } catch (IllegalStateException over) {
            decisions.close();
        }
    }

    private record Completion(ServletRequestDecisions decisions) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            decisions.close();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // completes afterwards
        }

        @Override
        public void onError(AsyncEvent event) {
            // completes afterwards
        }

        /** Another round began, which has listeners of its own. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
