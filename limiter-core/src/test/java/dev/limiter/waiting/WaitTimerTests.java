package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.TimeSource;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The timer of the JDK keeps no class loader, and runs no task in the calling thread. */
class WaitTimerTests {

    /**
     * A thread that outlives a web application must not keep its classes, or the server warns of a leak on shutdown.
     */
    @Test
    void threadOfTheTimerKeepsNoClassLoaderOfTheApplication() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        CompletableFuture<ClassLoader> seen = new CompletableFuture<>();
        try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
            thread.setContextClassLoader(application);
            try {
                WaitTimer.ofTheJdk(TimeSource.system())
                        .after(1, () -> seen.complete(Thread.currentThread().getContextClassLoader()));
                assertThat(thread.getContextClassLoader()).isSameAs(application);
            } finally {
                thread.setContextClassLoader(before);
            }
            assertThat(seen.get()).isNotSameAs(application);
        }
    }

    @Test
    void theTimerNeverRunsTasksUnderLocksOfTheCaller() {
        WaitTimer timer = WaitTimer.ofTheJdk(TimeSource.system());
        Thread caller = Thread.currentThread();
        AtomicBoolean inside = new AtomicBoolean();
        Deque<CompletableFuture<Void>> calls = new ArrayDeque<>();
        for (int i = 0; i < 20_000; i++) {
            CompletableFuture<Void> called = new CompletableFuture<>();
            calls.add(called);
            timer.after(0, () -> {
                inside.compareAndSet(false, Thread.currentThread() == caller);
                called.complete(null);
            });
        }
        calls.forEach(CompletableFuture::join);
        assertThat(inside).isFalse();
    }
}
