package dev.limiter.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/**
 * A request that waits without a thread: it is asynchronous in the way of Spring MVC, as filters and interceptors
 * expect, and dispatched once more after its decision. Then it is handled as if for the first time.
 */
final class SuspendedRequest {

    /** Null before Java 21. */
    private static final @Nullable Method IS_VIRTUAL = ReflectionUtils.findMethod(Thread.class, "isVirtual");

    private static final long NO_TIMEOUT = 0;

    private SuspendedRequest() {}

    /**
     * Whether that saves anything, and the container can: not in the middle of a forward. A virtual thread may as well
     * wait itself.
     */
    static boolean isPossible(HttpServletRequest request) {
        DispatcherType type = request.getDispatcherType();
        boolean dispatched = type == DispatcherType.REQUEST || type == DispatcherType.ASYNC;
        return dispatched
                && request.isAsyncSupported()
                && !request.isAsyncStarted()
                && !isVirtual(Thread.currentThread());
    }

    private static boolean isVirtual(Thread thread) {
        return IS_VIRTUAL != null && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, thread));
    }

    /**
     * Ends this dispatch as Spring MVC ends that of an asynchronous request: a cleared view is not rendered, and while
     * concurrent handling is under way {@code DispatcherServlet.processDispatchResult} completes no interceptor. A
     * {@code preHandle} that returned false would have those before it close what the handler is going to use, such as
     * the persistence context of "open in view".
     */
    static ModelAndViewDefiningException suspend(
            HttpServletRequest request, HttpServletResponse response, CompletableFuture<?> decision) {
        DeferredResult<Object> result = new DeferredResult<>(NO_TIMEOUT);
        // The Servlet API reports a broken connection as an error of the asynchronous request, if the container
        // notices.
        result.onError(broken -> decision.cancel(true));
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(request, response));
        try {
            manager.startDeferredResultProcessing(result);
        } catch (Exception failure) {
            decision.cancel(true);
            throw new IllegalStateException("A request cannot wait", failure);
        }
        var unused = decision.whenComplete((decided, failure) -> result.setResult(true));
        ModelAndView nothing = new ModelAndView();
        nothing.clear();
        return new ModelAndViewDefiningException(nothing);
    }

    /** Whether an asynchronous request comes back with its result, or from its wait: it has been decided before. */
    static boolean isBack(HttpServletRequest request) {
        return request.getDispatcherType() == DispatcherType.ASYNC
                && WebAsyncUtils.getAsyncManager(request).hasConcurrentResult();
    }

    /** Makes Spring MVC call the handler, instead of taking the end of the wait for what it returned. */
    static void resume(HttpServletRequest request) {
        WebAsyncUtils.getAsyncManager(request).clearConcurrentResult();
    }
}
