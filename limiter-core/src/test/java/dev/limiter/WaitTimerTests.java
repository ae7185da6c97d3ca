package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WaitTimerTests {

    /** A thread that outlives a web application must not keep its classes; the server warns of that when it stops. */
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
}
