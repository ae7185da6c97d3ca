package dev.limiter.spring.web;

import dev.limiter.spring.answer.RateLimitHeaders;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the fields about limits back until the status is known, and drops them where that is a redirection. A field
 * that was set cannot be removed on all servers. Fields are written and read by one thread at a time: a thread of
 * asynchronous work may write some while filters still write theirs, and containers keep them in plain arrays.
 */
final class DeferredFieldsResponse extends HttpServletResponseWrapper {

    private final Map<String, String> held = new LinkedHashMap<>(4);
    private volatile boolean decided;
    private boolean dropping;

    DeferredFieldsResponse(HttpServletResponse response) {
        super(response);
    }

    /** The status is known, or the fields cannot wait for it any longer. Later calls do nothing. */
    void release() {
        if (decided) {
            return;
        }
        synchronized (this) {
            if (!decided) {
                decided = true;
                dropping = getStatus() >= SC_MULTIPLE_CHOICES && getStatus() < SC_BAD_REQUEST;
                if (!dropping) {
                    held.forEach(super::setHeader);
                }
                held.clear();
            }
        }
    }

    private synchronized void release(int status) {
        setStatus(status);
        release();
    }

    @Override
    public synchronized void setHeader(String name, String value) {
        boolean deferrable = name.startsWith(RateLimitHeaders.DRAFT) || name.startsWith(RateLimitHeaders.LEGACY);
        if (deferrable && !decided) {
            held.put(name, value);
        } else if (!deferrable || !dropping) {
            super.setHeader(name, value);
        }
    }

    @Override
    public synchronized void addHeader(String name, String value) {
        super.addHeader(name, value);
    }

    @Override
    public synchronized void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
    }

    @Override
    public synchronized void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
    }

    @Override
    public synchronized void setDateHeader(String name, long date) {
        super.setDateHeader(name, date);
    }

    @Override
    public synchronized void addDateHeader(String name, long date) {
        super.addDateHeader(name, date);
    }

    @Override
    public synchronized void addCookie(Cookie cookie) {
        super.addCookie(cookie);
    }

    @Override
    public synchronized boolean containsHeader(String name) {
        return held.containsKey(name) || super.containsHeader(name);
    }

    @Override
    public synchronized @Nullable String getHeader(String name) {
        String value = held.get(name);
        return value == null ? super.getHeader(name) : value;
    }

    @Override
    public synchronized Collection<String> getHeaders(String name) {
        String value = held.get(name);
        return value == null ? super.getHeaders(name) : List.of(value);
    }

    @Override
    public synchronized Collection<String> getHeaderNames() {
        if (held.isEmpty()) {
            return super.getHeaderNames();
        }
        Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
        names.addAll(held.keySet());
        return names;
    }

    @Override
    public void sendError(int status) throws IOException {
        release(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        release(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        release(SC_FOUND);
        super.sendRedirect(location);
    }

    @Override
    public void flushBuffer() throws IOException {
        release();
        super.flushBuffer();
    }

    /** The status may still change until something is written. */
    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream stream = super.getOutputStream();
        return decided ? stream : new ReleasingStream(this, stream);
    }

    /** The status may still change until something is written. */
    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter writer = super.getWriter();
        return decided ? writer : new ReleasingWriter(this, writer);
    }

    @Override
    public synchronized void reset() {
        super.reset();
        held.clear();
        decided = false;
        dropping = false;
    }

    /** Has the fields released before the first byte of the body. */
    private static final class ReleasingStream extends ServletOutputStream {

        private final DeferredFieldsResponse fields;
        private final ServletOutputStream target;

        ReleasingStream(DeferredFieldsResponse fields, ServletOutputStream target) {
            this.fields = fields;
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            fields.release();
            target.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            fields.release();
            target.write(bytes, offset, length);
        }

        /** Encoded as a whole by the container. */
        @Override
        public void print(String text) throws IOException {
            fields.release();
            target.print(text);
        }

        @Override
        public void flush() throws IOException {
            fields.release();
            target.flush();
        }

        @Override
        public void close() throws IOException {
            fields.release();
            target.close();
        }

        @Override
        public boolean isReady() {
            return target.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            target.setWriteListener(listener);
        }
    }

    /** Has the fields released before the first character of the body. */
    private static final class ReleasingWriter extends PrintWriter {

        private final DeferredFieldsResponse fields;
        private final PrintWriter target;

        ReleasingWriter(DeferredFieldsResponse fields, PrintWriter target) {
            super(target);
            this.fields = fields;
            this.target = target;
        }

        @Override
        public void write(int value) {
            fields.release();
            target.write(value);
        }

        @Override
        public void write(char[] chars, int offset, int length) {
            fields.release();
            target.write(chars, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) {
            fields.release();
            target.write(text, offset, length);
        }

        /** Ends the line as the container does. */
        @Override
        public void println() {
            fields.release();
            target.println();
        }

        @Override
        public void flush() {
            fields.release();
            target.flush();
        }

        @Override
        public void close() {
            fields.release();
            target.close();
        }

        @Override
        public boolean checkError() {
            fields.release();
            return target.checkError();
        }
    }
}
