package dev.limiter.spring.integration;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

@RestController
class ChargeIfEndpoints {

    /** The latch of slow handlers. */
    static final Semaphore GATE = new Semaphore(0);

    static final Semaphore ENTERED = new Semaphore(0);

    private static final String LARGE = "x".repeat(100_000);

    @GetMapping({"/broken", "/early/found"})
    String plain() {
        return "served";
    }

    @GetMapping("/failed/writer")
    void writer(HttpServletResponse response) throws IOException {
        response.getWriter().println("written");
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

    @GetMapping({"/failed/slow-status", "/served/slow-status"})
    ResponseEntity<String> slowStatus() {
        ENTERED.release();
        GATE.acquireUninterruptibly();
        return ResponseEntity.status(401).body(LARGE);
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
}
