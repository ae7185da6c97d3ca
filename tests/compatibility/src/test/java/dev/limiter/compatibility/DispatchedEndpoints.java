package dev.limiter.compatibility;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Endpoints with requests that are dispatched several times, or not at all. */
@Controller
class DispatchedEndpoints {

    @CrossOrigin("http://example.com")
    @GetMapping("/plain")
    @ResponseBody
    String plain() {
        return "plain";
    }

    @GetMapping("/callable")
    @ResponseBody
    Callable<String> callable() {
        return () -> "callable";
    }

    @GetMapping("/deferred")
    @ResponseBody
    DeferredResult<String> deferred() {
        DeferredResult<String> result = new DeferredResult<>();
        later(() -> result.setResult("deferred"));
        return result;
    }

    @GetMapping("/deferred-error")
    @ResponseBody
    DeferredResult<String> deferredError() {
        DeferredResult<String> result = new DeferredResult<>();
        later(() -> result.setErrorResult(new IllegalStateException("failed")));
        return result;
    }

    @GetMapping("/events")
    SseEmitter events() {
        SseEmitter emitter = new SseEmitter();
        later(() -> {
            try {
                emitter.send("first");
                emitter.send("second");
                emitter.complete();
            } catch (IOException exception) {
                emitter.completeWithError(exception);
            }
        });
        return emitter;
    }

    @GetMapping("/forward")
    String forward() {
        return "forward:/forwarded";
    }

    @GetMapping("/forwarded")
    @ResponseBody
    String forwarded() {
        return "forwarded";
    }

    @GetMapping("/send-error")
    void sendError(HttpServletResponse response) throws IOException {
        response.sendError(500);
    }

    @GetMapping("/exception")
    @ResponseBody
    String exception() throws IOException {
        throw new IOException("unhandled");
    }

    private static void later(Runnable task) {
        ForkJoinPool.commonPool().execute(task);
    }
}
