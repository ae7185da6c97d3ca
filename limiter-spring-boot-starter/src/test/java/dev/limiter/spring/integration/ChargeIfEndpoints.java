package dev.limiter.spring.integration;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** All ways to answer a request. */
@RestController
class ChargeIfEndpoints {

    /** The latch of slow handlers. */
    static final Semaphore GATE = new Semaphore(0);

    static final Semaphore ENTERED = new Semaphore(0);

    private static final String LARGE = "x".repeat(100_000);

    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    private static final class Unauthorized extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("failed on purpose");
    }

    @GetMapping({"/failed/plain", "/served/plain", "/broken", "/early/found"})
    String plain() {
        return "served";
    }

    @GetMapping({"/failed/empty", "/served/empty"})
    ResponseEntity<Void> empty() {
        return ResponseEntity.noContent().build();
    }

    @GetMapping("/failed/not-modified")
    ResponseEntity<String> notModified() {
        return ResponseEntity.status(304).build();
    }

    @GetMapping({"/failed/redirect", "/served/redirect"})
    ModelAndView redirect() {
        return new ModelAndView("redirect:/elsewhere");
    }

    @GetMapping("/failed/send-redirect")
    void sendRedirect(HttpServletResponse response) throws IOException {
        response.sendRedirect("/elsewhere");
    }

    @GetMapping({"/failed/forward", "/served/forward"})
    ModelAndView forward() {
        return new ModelAndView("forward:/forwarded");
    }

    @GetMapping("/forwarded")
    void forwarded(HttpServletResponse response) throws IOException {
        response.getWriter().print("forwarded");
    }

    @GetMapping({"/failed/writer", "/served/writer"})
    void writer(HttpServletResponse response) throws IOException {
        response.getWriter().println("written");
    }

    @GetMapping("/failed/writer-closed")
    void writerClosed(HttpServletResponse response) throws IOException {
        response.getWriter().append("written").close();
    }

    @GetMapping({"/failed/writer-large", "/served/writer-large"})
    void writerLarge(HttpServletResponse response) throws IOException {
        response.getWriter().write(LARGE);
    }

    @GetMapping("/failed/stream")
    void stream(HttpServletResponse response) throws IOException {
        response.getOutputStream().print("streamed");
    }

    @GetMapping({"/failed/stream-flushed", "/served/stream-flushed"})
    void streamFlushed(HttpServletResponse response) throws IOException {
        response.getOutputStream().print("streamed");
        response.getOutputStream().flush();
        response.getOutputStream().print("streamed");
    }

    @GetMapping("/failed/stream-announced")
    void streamAnnounced(HttpServletResponse response) throws IOException {
        response.setHeader("Content-Length", "8");
        response.getOutputStream().print("streamed");
    }

    @GetMapping({"/failed/stream-large", "/served/stream-large"})
    void streamLarge(HttpServletResponse response) throws IOException {
        response.getOutputStream().write(LARGE.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    @GetMapping({"/failed/flush-buffer", "/served/flush-buffer"})
    void flushBuffer(HttpServletResponse response) throws IOException {
        response.flushBuffer();
    }

    /** The first status is not the one that is sent. */
    @GetMapping({"/failed/reset", "/served/reset"})
    void reset(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String fields = response.getHeader("RateLimit");
        response.setStatus(request.getRequestURI().startsWith("/failed") ? 401 : 200);
        response.getWriter().print("never sent");
        response.reset();
        response.setHeader("RateLimit", fields);
        response.getOutputStream().print("sent");
    }

    @GetMapping({"/failed/reset-to-error", "/served/reset-to-error"})
    void resetToError(HttpServletResponse response) throws IOException {
        response.getOutputStream().print("never sent");
        response.reset();
        response.setStatus(401);
    }

    @GetMapping({"/failed/callable", "/served/callable"})
    Callable<String> callable() {
        return () -> "called";
    }

    @GetMapping({"/failed/deferred", "/served/deferred"})
    DeferredResult<String> deferred() {
        DeferredResult<String> result = new DeferredResult<>();
        new Thread(() -> result.setResult("deferred")).start();
        return result;
    }

    @GetMapping({"/failed/future", "/served/future"})
    CompletableFuture<String> future() {
        return CompletableFuture.supplyAsync(() -> "future");
    }

    @GetMapping({"/failed/sse", "/served/sse"})
    SseEmitter sse() {
        SseEmitter emitter = new SseEmitter();
        new Thread(() -> {
                    try {
                        emitter.send("one");
                        emitter.send("two");
                        emitter.complete();
                    } catch (IOException failure) {
                        emitter.completeWithError(failure);
                    }
                })
                .start();
        return emitter;
    }

    @GetMapping("/failed/sse-slow")
    SseEmitter sseSlow() {
        SseEmitter emitter = new SseEmitter(10_000L);
        new Thread(() -> {
                    try {
                        emitter.send("one");
                        GATE.acquireUninterruptibly();
                        emitter.complete();
                    } catch (IOException failure) {
                        emitter.completeWithError(failure);
                    }
                })
                .start();
        return emitter;
    }

    @GetMapping("/failed/stream-slow")
    void streamSlow(HttpServletResponse response) throws IOException {
        response.getOutputStream().print(LARGE);
        GATE.acquireUninterruptibly();
    }

    @GetMapping({"/failed/streaming", "/served/streaming"})
    StreamingResponseBody streaming() {
        return out -> out.write('x');
    }

    @GetMapping({"/failed/streaming-error", "/served/streaming-error"})
    StreamingResponseBody streamingError() {
        return out -> {
            out.write('x');
            throw failure();
        };
    }

    @GetMapping({"/failed/raw-async", "/served/raw-async"})
    void rawAsync(HttpServletRequest request, HttpServletResponse response) {
        AsyncContext async = request.startAsync(request, response);
        new Thread(() -> {
                    try {
                        async.getResponse().getOutputStream().print("raw");
                    } catch (IOException failure) {
                        throw new java.io.UncheckedIOException(failure);
                    }
                    async.complete();
                })
                .start();
    }

    @GetMapping({"/failed/raw-async-error", "/served/raw-async-error"})
    void rawAsyncError(HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext async = request.startAsync(request, response);
        response.setStatus(401);
        response.getOutputStream().print("raw");
        async.complete();
    }

    @GetMapping({"/failed/raw-dispatch-error", "/served/raw-dispatch-error"})
    void rawDispatchError(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() == DispatcherType.REQUEST) {
            request.startAsync(request, response).dispatch();
            return;
        }
        response.getOutputStream().print("never sent");
        throw failure();
    }

    @GetMapping({"/failed/non-blocking", "/served/non-blocking"})
    void nonBlocking(HttpServletRequest request, HttpServletResponse response) throws IOException {
        AsyncContext async = request.startAsync(request, response);
        ServletOutputStream out = response.getOutputStream();
        out.setWriteListener(new WriteListener() {
            private int left = 20;

            @Override
            public void onWritePossible() throws IOException {
                while (out.isReady()) {
                    if (left-- == 0) {
                        async.complete();
                        return;
                    }
                    out.write(new byte[10]);
                }
            }

            @Override
            public void onError(Throwable failure) {
                async.complete();
            }
        });
    }

    @GetMapping({"/failed/status", "/served/status"})
    ResponseEntity<String> status() {
        return ResponseEntity.status(401).body("who are you?");
    }

    @GetMapping({"/failed/slow-status", "/served/slow-status"})
    ResponseEntity<String> slowStatus() {
        ENTERED.release();
        GATE.acquireUninterruptibly();
        return ResponseEntity.status(401).body(LARGE);
    }

    @GetMapping({"/failed/send-error", "/served/send-error"})
    void sendError(HttpServletResponse response) throws IOException {
        response.sendError(401, "who are you?");
    }

    @GetMapping({"/failed/annotated-exception", "/served/annotated-exception"})
    String annotatedException() {
        throw new Unauthorized();
    }

    @GetMapping({"/failed/unhandled", "/served/unhandled"})
    String unhandled() {
        throw failure();
    }

    @GetMapping({"/failed/unhandled-after-write", "/served/unhandled-after-write"})
    void unhandledAfterWrite(HttpServletResponse response) throws IOException {
        response.getWriter().print("never sent");
        throw failure();
    }

    @GetMapping({"/failed/callable-error", "/served/callable-error"})
    Callable<String> callableError() {
        return () -> {
            throw failure();
        };
    }

    @GetMapping({"/failed/deferred-error", "/served/deferred-error"})
    DeferredResult<String> deferredError() {
        DeferredResult<String> result = new DeferredResult<>();
        new Thread(() -> result.setErrorResult(failure())).start();
        return result;
    }

    @GetMapping({"/failed/deferred-status", "/served/deferred-status"})
    DeferredResult<ResponseEntity<String>> deferredStatus() {
        DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
        new Thread(() -> result.setResult(ResponseEntity.status(401).build())).start();
        return result;
    }

    @GetMapping({"/failed/deferred-timeout", "/served/deferred-timeout"})
    DeferredResult<String> deferredTimeout() {
        return new DeferredResult<>();
    }

    @GetMapping({"/failed/future-error", "/served/future-error"})
    CompletableFuture<String> futureError() {
        return CompletableFuture.supplyAsync(() -> {
            throw failure();
        });
    }

    @GetMapping({"/failed/sse-error", "/served/sse-error"})
    SseEmitter sseError() {
        SseEmitter emitter = new SseEmitter();
        new Thread(() -> emitter.completeWithError(failure())).start();
        return emitter;
    }

    /** Spring Security makes 403 of it, outside of Spring MVC. */
    @GetMapping({"/failed/security", "/served/security"})
    String security() {
        throw new AccessDeniedException("not you");
    }

    @GetMapping({"/failed/thrown-in-filter", "/served/thrown-in-filter"})
    void thrownInFilter(HttpServletRequest request) {
        request.setAttribute("fail", true);
    }

    @GetMapping("/login")
    ResponseEntity<String> login(String password) {
        return "right".equals(password)
                ? ResponseEntity.ok("welcome")
                : ResponseEntity.status(401).body("wrong");
    }

    @GetMapping("/two")
    ResponseEntity<String> two(boolean free) {
        return free ? ResponseEntity.ok().header("X-Free", "yes").body("free") : ResponseEntity.ok("charged");
    }

    @GetMapping("/automatic")
    ResponseEntity<String> automatic(boolean found) {
        return found ? ResponseEntity.ok("found") : ResponseEntity.notFound().build();
    }

    /** Fails after the handler is done. */
    @Component
    static class Failing implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            chain.doFilter(request, response);
            if (request.getAttribute("fail") != null && !response.isCommitted()) {
                request.removeAttribute("fail");
                throw new ServletException("failed on purpose");
            }
        }
    }
}
