package dev.limiter.spring.web.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.series.DecisionSeries;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** A container uses the objects of a request that is over for another one, so nobody may use them for the first any more. */
class SecondsStreamTests {

    private final SecondsStream stream = new SecondsStream(new DecisionSeries(new DecisionCounts()));
    private final Recycled request = new Recycled();
    private final MockHttpServletResponse answer = new MockHttpServletResponse();

    @AfterEach
    void stop() {
        stream.stop();
    }

    private void serve() {
        stream.start();
        stream.serve(request, answer);
        Conditions.await(() -> answer.getContentAsByteArray().length > 0);
    }

    private void threadEnds() {
        Conditions.await(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("limiter-page"))
                .allMatch(SecondsStreamTests::isIdle));
    }

    /** Those that wait for another connection. */
    private static boolean isIdle(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("dev.limiter.")) {
                return false;
            }
        }
        return true;
    }

    @Test
    void endsAfterAnErrorOnce() throws IOException {
        serve();
        request.listener().onError(new AsyncEvent(request.getAsyncContext()));
        int sent = answer.getContentAsByteArray().length;
        threadEnds();
        assertThat(request.completions).hasValue(1);
        assertThat(answer.getContentAsByteArray()).hasSize(sent);
    }

    @Test
    void usesNothingThatTheContainerHasCompleted() throws IOException {
        serve();
        request.listener().onComplete(new AsyncEvent(request.getAsyncContext()));
        int sent = answer.getContentAsByteArray().length;
        threadEnds();
        assertThat(request.completions).hasValue(0);
        assertThat(answer.getContentAsByteArray()).hasSize(sent);
    }

    @Test
    void endsWithTheApplicationOnce() {
        serve();
        stream.stop();
        threadEnds();
        assertThat(request.completions).hasValue(1);
    }

    /** Tomcat closes the connection of a thread that is interrupted while it writes. */
    @Test
    void interruptsNobodyWhoIsReadTo() throws InterruptedException {
        Slow slow = new Slow();
        stream.start();
        stream.serve(request, slow);
        slow.writing.await();
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(stream::stop);
        Conditions.await(() -> !stream.isRunning());
        slow.read.countDown();
        stopped.join();
        Conditions.await(() -> request.completions.get() == 1);
        assertThat(slow.interrupted).isFalse();
    }

    @Test
    void endsWithClientsThatDoNotRead() throws InterruptedException {
        Slow slow = new Slow();
        stream.start();
        stream.serve(request, slow);
        slow.writing.await();
        stream.stop();
        Conditions.await(() -> request.completions.get() == 1);
        assertThat(slow.interrupted).isTrue();
    }

    /** A stream whose writes wait until they are read. */
    private static final class Slow extends MockHttpServletResponse {

        final CountDownLatch writing = new CountDownLatch(1);
        final CountDownLatch read = new CountDownLatch(1);
        volatile boolean interrupted;

        @Override
        public ServletOutputStream getOutputStream() {
            return new DelegatingServletOutputStream(OutputStream.nullOutputStream()) {
                @Override
                public void write(byte[] bytes) throws IOException {
                    writing.countDown();
                    try {
                        read.await();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        throw new IOException(e);
                    }
                }
            };
        }
    }

    /** Counts how often it was completed, and tells nobody of it, as if the objects had another request by then. */
    private static final class Recycled extends MockHttpServletRequest {

        final AtomicInteger completions = new AtomicInteger();

        Recycled() {
            setAsyncSupported(true);
        }

        AsyncListener listener() {
            return ((MockAsyncContext) getAsyncContext()).getListeners().get(0);
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            MockAsyncContext context = new MockAsyncContext(request, response) {
                @Override
                public void complete() {
                    completions.incrementAndGet();
                }
            };
            setAsyncContext(context);
            setAsyncStarted(true);
            return context;
        }
    }
}
