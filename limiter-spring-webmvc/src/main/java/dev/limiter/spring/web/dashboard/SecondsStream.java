package dev.limiter.spring.web.dashboard;

import dev.limiter.spring.background.DaemonThreads;
import dev.limiter.spring.operate.series.DecisionSeries;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.MediaType;

/**
 * Sends the decisions of rules as server-sent events, one a second, to {@value #MOST} clients at most. Each client has
 * a thread of its own, so that a slow reader delays no other. A connection ends after some minutes, so that access is
 * checked again, and before the server waits for its last requests. Thread-safe.
 */
public final class SecondsStream implements SmartLifecycle {

    static final MediaType MEDIA_TYPE = MediaType.TEXT_EVENT_STREAM;

    /** How many connections there are at once; others are answered with 503, and ask once a second. */
    static final int MOST = 16;

    private static final Pattern SECOND = Pattern.compile("[0-9]{1,18}");
    private static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final DecisionSeries series;
    private final Semaphore places = new Semaphore(MOST);
    private @Nullable ExecutorService threads;

    /** At zero, connections end. */
    private CountDownLatch stopping = new CountDownLatch(0);

    public SecondsStream(DecisionSeries series) {
        this.series = series;
    }

    @Override
    public synchronized void start() {
        if (threads == null) {
            threads = Executors.newCachedThreadPool(new DaemonThreads("limiter-page"));
            stopping = new CountDownLatch(1);
        }
    }

    /** Ends all connections; those of clients that do not read after a second. */
    @Override
    public void stop() {
        ExecutorService stopped = shutdown();
        if (stopped == null) {
            return;
        }
        try {
            // an interrupt closes the channel that a thread writes to, and cuts the answer of a client that reads
            if (!stopped.awaitTermination(1, TimeUnit.SECONDS)) {
                stopped.shutdownNow();
            }
        } catch (InterruptedException e) {
            stopped.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable ExecutorService shutdown() {
        ExecutorService stopped = threads;
        if (stopped != null) {
            stopped.shutdown();
            stopping.countDown();
            threads = null;
        }
        return stopped;
    }

    @Override
    public synchronized boolean isRunning() {
        return threads != null;
    }

    /** Answers with the seconds after one, and with each new one while the connection lasts. */
    void serve(HttpServletRequest request, HttpServletResponse answer) {
        String after = Objects.requireNonNullElse(request.getParameter("after"), "0");
        if (!SECOND.matcher(after).matches()) {
            answer.setStatus(HttpServletResponse.SC_BAD_REQUEST);
            return;
        }
        if (!request.isAsyncSupported() || !places.tryAcquire()) {
            answer.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        answer.setContentType(MEDIA_TYPE.toString());
        answer.setCharacterEncoding("UTF-8");
        answer.setHeader("Cache-Control", "no-store");
        // a proxy would keep events until there are many
        answer.setHeader("X-Accel-Buffering", "no");
        AsyncContext context = request.startAsync(request, answer);
        context.setTimeout(0);
        Connection connection = new Connection(context, answer, Long.parseLong(after), stopping());
        context.addListener(connection);
        if (!execute(connection)) {
            connection.end();
        }
    }

    private synchronized CountDownLatch stopping() {
        return stopping;
    }

    private synchronized boolean execute(Connection connection) {
        try {
            if (threads != null) {
                threads.execute(connection);
                return true;
            }
            return false;
        } catch (RejectedExecutionException stopped) {
            return false;
        }
    }

    /** One client: its thread or the container ends it, the first one to notice. */
    private final class Connection implements Runnable, AsyncListener {

        private final AsyncContext context;
        private final HttpServletResponse answer;

        /**
         * Held while answer and context are used: when {@link #onComplete} has returned, Tomcat recycles both for
         * another request, which a later call would write to or end.
         */
        private final Lock use = new ReentrantLock();

        private final CountDownLatch stopping;
        private boolean over;
        private long sent;

        Connection(AsyncContext context, HttpServletResponse answer, long after, CountDownLatch stopping) {
            this.context = context;
            this.answer = answer;
            this.sent = after;
            this.stopping = stopping;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            try {
                boolean stopped = false;
                while (!stopped && System.nanoTime() - begin < LIFE_NANOS && send()) {
                    stopped = stopping.await(1, TimeUnit.SECONDS);
                }
            } catch (InterruptedException late) {
                // the client did not read
            } finally {
                end();
            }
        }

        /** Whether the client is still connected. */
        private boolean send() {
            use.lock();
            try {
                if (over) {
                    return false;
                }
                Map<String, Object> news = series.after(sent);
                sent = ((Number) Objects.requireNonNull(news.get("sample"))).longValue();
                OutputStream body = answer.getOutputStream();
                body.write(("data: " + JsonText.of(news) + "\n\n").getBytes(StandardCharsets.UTF_8));
                body.flush();
                return true;
            } catch (IOException | IllegalStateException gone) {
                return false;
            } finally {
                use.unlock();
            }
        }

        void end() {
            end(context::complete);
        }

        private void end(Runnable last) {
            use.lock();
            try {
                if (!over) {
                    over = true;
                    places.release();
                    last.run();
                }
            } catch (IllegalStateException completed) {
                // by a container that has not told yet
            } finally {
                use.unlock();
            }
        }

        /** Without this, containers answer once more, with a page for errors. */
        @Override
        public void onError(AsyncEvent event) {
            end();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            end();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            end(() -> {});
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
