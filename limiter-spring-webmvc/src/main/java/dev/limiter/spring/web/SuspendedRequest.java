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
 * Suspends requests that wait, without blocking a thread. Such a request is asynchronous in the way that Spring MVC's
 * filters and interceptors expect. After its decision it is dispatched again, and then handled as if for the first
 * time.
 */
final class SuspendedRequest {

    /** {@code Thread.isVirtual}; null before Java 21. */
    private static final @Nullable Method IS_VIRTUAL = ReflectionUtils.findMethod(Thread.class, "isVirtual");

    private static final long NO_TIMEOUT = 0;

    private SuspendedRequest() {}

    /**
     * Returns whether the request can be suspended: not inside a forward, and not on a virtual thread, which can simply
     * block.
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
     * Ends this dispatch like an asynchronous request of Spring MVC: a cleared view is not rendered, and during
     * concurrent handling {@code DispatcherServlet.processDispatchResult} completes no interceptor. Returning false
     * from {@code preHandle} would make earlier interceptors close resources that the handler needs, such as the
     * persistence context of "open in view".
     */
    static ModelAndViewDefiningException suspend(
            HttpServletRequest request, HttpServletResponse response, CompletableFuture<?> decision) {
        DeferredResult<Object> result = new DeferredResult<>(NO_TIMEOUT);
        // The Servlet API reports a broken connection as an error of the asynchronous request, if the container
        // detects it.
        result.onError(broken -> decision.cancel(true));
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(request, response));
        try {
            manager.startDeferredResultProcessing(result);
        } catch (Exception failure) {
            decision.cancel(true);
            throw new IllegalStateException("A request cannot be suspended", failure);
        }
        var unused = decision.whenComplete((decided, failure) -> result.setResult(true));
        ModelAndView nothing = new ModelAndView();
        nothing.clear();
        return new ModelAndViewDefiningException(nothing);
    }

    /**
     * Returns whether the request is dispatched after asynchronous work or a wait, so that it was decided before.
     */
    static boolean isBack(HttpServletRequest request) {
        return request.getDispatcherType() == DispatcherType.ASYNC
                && WebAsyncUtils.getAsyncManager(request).hasConcurrentResult();
    }

    /** Makes Spring MVC call the handler, instead of using the end of the wait as its result. */
    static void resume(HttpServletRequest request) {
        WebAsyncUtils.getAsyncManager(request).clearConcurrentResult();
    }
}
