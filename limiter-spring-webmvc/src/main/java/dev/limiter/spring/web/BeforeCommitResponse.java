package dev.limiter.spring.web;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settles charges and writes the RateLimit fields once, right before the response is committed. Afterwards, the client
 * has the status and the container ignores header fields. The body is not buffered.
 *
 * <p>Containers do not announce the commit. They commit when the application flushes, closes, redirects or sends an
 * error, when the buffer is full, and when the body is as long as its {@code Content-Length}. So this class counts an
 * upper bound of the written bytes, and acts as soon as a container may commit. Other responses are committed at the
 * end of the request, where {@link RateLimitFilter} calls {@link #beforeCommit()}.
 */
final class BeforeCommitResponse extends HttpServletResponseWrapper {

    private static final long UNKNOWN = -1;
    private static final int MAX_BYTES_PER_CHAR = 4;

    private final ServletContext container;
    /** The wrapped response, even while the container inserts its own wrapper to include a resource. */
    private final HttpServletResponse target;

    private final Consumer<ResponseView> settle;
    private final PendingFields fields;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean done;
    private int includes;
    private long written;
    private long length = UNKNOWN;

    /** {@code settle}: called with the response before it is committed. */
    BeforeCommitResponse(
            ServletContext container,
            HttpServletResponse response,
            Consumer<ResponseView> settle,
            PendingFields fields) {
        super(response);
        this.container = container;
        this.target = response;
        this.settle = settle;
        this.fields = fields;
    }

    /** Starts another response, after a reset or for an error page. */
    void begin() {
        done = false;
        written = 0;
        length = UNKNOWN;
    }

    /** Starts an included resource, which can write only the body: its status and header fields are ignored. */
    void beginInclude() {
        includes++;
    }

    void endInclude() {
        includes--;
    }

    /** Returns whether this response wraps the container's response directly. */
    boolean isOutermost() {
        return !(target instanceof ServletResponseWrapper);
    }

    /** Acts with the current status, unless it already has. */
    void beforeCommit() {
        beforeCommit(target.getStatus(), null);
    }

    /** Acts after the handler has thrown an exception. */
    void beforeFailure() {
        beforeCommit(target.isCommitted() ? target.getStatus() : SC_INTERNAL_SERVER_ERROR, null);
    }

    private void beforeCommit(int status, @Nullable String location) {
        if (done) {
            return;
        }
        lock.lock();
        try {
            if (!done) {
                act(status, location);
                done = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Processes further charges and fields at once if earlier ones were processed. */
    void changed() {
        if (!done) {
            return;
        }
        lock.lock();
        try {
            act(target.getStatus(), null);
        } finally {
            lock.unlock();
        }
    }

    private void act(int status, @Nullable String location) {
        settle.accept(new ServletResponseView(target, status, location));
        if (!target.isCommitted()) {
            fields.writeTo(target, status);
        }
    }

    /**
     * Called before asynchronous work. Jetty reports its end after the commit, and outer filters may commit when the
     * dispatch returns. In these cases, writes the fields now; they are removed if a redirect follows.
     */
    void beforeAsync() {
        if (!done && (!isOutermost() || isJetty())) {
            fields.writeTo(target, target.getStatus());
        }
    }

    private boolean isJetty() {
        return container.getServerInfo().startsWith("jetty/");
    }

    /** Counts bytes before a write; {@code bytes}: an upper bound. Jetty sends a large array at once. */
    private void writing(long bytes) {
        if (done) {
            return;
        }
        written += bytes;
        int buffer = getBufferSize();
        if (written >= buffer || length >= 0 && written >= length || bytes > buffer / 4 && isJetty()) {
            beforeCommit();
        }
    }

    private void expect(long bytes) {
        if (includes == 0) {
            length = bytes;
            if (length >= 0 && written > 0 && written >= length) {
                beforeCommit();
            }
        }
    }

    private void expect(@Nullable String name, @Nullable String value) {
        if (!done && "Content-Length".equalsIgnoreCase(name)) {
            try {
                expect(value == null ? UNKNOWN : Long.parseLong(value));
            } catch (NumberFormatException invalid) {
                // the container rejects it
            }
        }
    }

    @Override
    public void setContentLength(int bytes) {
        expect(bytes);
        super.setContentLength(bytes);
    }

    @Override
    public void setContentLengthLong(long bytes) {
        expect(bytes);
        super.setContentLengthLong(bytes);
    }

    // Containers keep header fields in plain arrays, so asynchronous work must not commit while a filter writes one.

    @Override
    public void setHeader(String name, String value) {
        expect(name, value);
        synchronized (fields) {
            super.setHeader(name, value);
        }
    }

    @Override
    public void addHeader(String name, String value) {
        expect(name, value);
        synchronized (fields) {
            super.addHeader(name, value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        expect(name, Integer.toString(value));
        synchronized (fields) {
            super.setIntHeader(name, value);
        }
    }

    @Override
    public void addIntHeader(String name, int value) {
        expect(name, Integer.toString(value));
        synchronized (fields) {
            super.addIntHeader(name, value);
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        beforeError(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        beforeError(status);
        super.sendError(status, message);
    }

    /** Acts before an error. On Jetty, 102 and 103 are interim responses, and -1 closes the connection. */
    private void beforeError(int status) {
        if (status >= SC_OK && includes == 0) {
            beforeCommit(status, null);
        }
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        if (includes == 0) {
            beforeCommit(SC_FOUND, location);
        }
        super.sendRedirect(location);
    }

    @Override
    public void flushBuffer() throws IOException {
        beforeCommit();
        super.flushBuffer();
    }

    @Override
    public void reset() {
        super.reset();
        begin();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        written = 0;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return new Stream(super.getOutputStream());
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        return new Writer(super.getWriter(), Charset.forName(getCharacterEncoding()));
    }

    private final class Stream extends ServletOutputStream {

        private final ServletOutputStream out;

        Stream(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            writing(1);
            out.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            writing(count);
            out.write(bytes, offset, count);
        }

        /** Encoded by the container. */
        @Override
        public void print(String text) throws IOException {
            writing((long) MAX_BYTES_PER_CHAR * String.valueOf(text).length());
            out.print(text);
        }

        @Override
        public void flush() throws IOException {
            beforeCommit();
            out.flush();
        }

        @Override
        public void close() throws IOException {
            beforeCommit();
            out.close();
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }
    }

    private final class Writer extends PrintWriter {

        private final PrintWriter target;
        private final boolean utf8;
        private final float maxBytesPerChar;

        Writer(PrintWriter target, Charset charset) {
            super(target);
            this.target = target;
            this.utf8 = charset.equals(StandardCharsets.UTF_8);
            this.maxBytesPerChar = utf8 ? 0 : charset.newEncoder().maxBytesPerChar();
        }

        @Override
        public void write(int value) {
            writing(utf8 ? utf8Bytes((char) value) : (long) Math.ceil(maxBytesPerChar));
            target.write(value);
        }

        @Override
        public void write(char[] chars, int offset, int count) {
            if (!done) {
                long bytes = (long) Math.ceil((double) maxBytesPerChar * count);
                for (int i = offset; utf8 && i < offset + count; i++) {
                    bytes += utf8Bytes(chars[i]);
                }
                writing(bytes);
            }
            target.write(chars, offset, count);
        }

        @Override
        public void write(String text, int offset, int count) {
            if (!done) {
                long bytes = (long) Math.ceil((double) maxBytesPerChar * count);
                for (int i = offset; utf8 && i < offset + count; i++) {
                    bytes += utf8Bytes(text.charAt(i));
                }
                writing(bytes);
            }
            target.write(text, offset, count);
        }

        /** Returns the number of UTF-8 bytes. Each surrogate is half of a four-byte character. */
        private static int utf8Bytes(char value) {
            return value < 0x80 ? 1 : value < 0x800 || Character.isSurrogate(value) ? 2 : 3;
        }

        /** Ends the line as the container does. */
        @Override
        public void println() {
            writing((long) MAX_BYTES_PER_CHAR * System.lineSeparator().length());
            target.println();
        }

        @Override
        public void flush() {
            beforeCommit();
            target.flush();
        }

        @Override
        public void close() {
            beforeCommit();
            target.close();
        }

        /** Flushes. */
        @Override
        public boolean checkError() {
            beforeCommit();
            return target.checkError();
        }
    }
}
