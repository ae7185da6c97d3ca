package dev.limiter.spring.web;

import dev.limiter.spring.answer.RateLimitHeaders;
import dev.limiter.spring.web.settle.Container;
import dev.limiter.spring.web.settle.HeldResponse;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponseWrapper;
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
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.WebUtils;

/**
 * Keeps the fields about limits back until the container may send the answer, and drops them where that is a
 * redirection. A field that was set cannot be removed on all servers. Fields are written and read by one thread at a
 * time: a thread of asynchronous work may write some while filters still write theirs, and containers keep them in
 * plain arrays. The lock of a held answer is the one for that: charges are settled with it, and write fields here.
 */
final class DeferredFieldsResponse extends HttpServletResponseWrapper {

    private static final String CONTENT_LENGTH = "Content-Length";
    private static final int MOST_BYTES_OF_A_CHARACTER = 4;

    /** All that were set, for a reset forgets them where they have gone to. */
    private final Map<String, String> fields = new LinkedHashMap<>(4);
    /** Where fields go to: not to that of an include, which ignores them. */
    private final HttpServletResponse target;
    /** Whether no filter of the application is between here and the container. */
    private final boolean outermost;

    private final Lock lock;

    /** Whether they are under way, or dropped. */
    volatile boolean decided;

    private boolean dropping;
    /** Whether the end of a dispatch releases them. */
    private boolean dispatched = true;
    /** The bytes that were written since the beginning, or more. */
    private long written;

    DeferredFieldsResponse(HttpServletResponse response) {
        super(response);
        target = response instanceof HeldResponse held ? held.target() : response;
        outermost = !(target instanceof ServletResponseWrapper);
        HeldResponse answer = WebUtils.getNativeResponse(response, HeldResponse.class);
        lock = answer == null ? new ReentrantLock() : answer.lock();
    }

    /** Begins with the fields of a dispatch that has failed: its answer may have been reset, or a redirection. */
    void replace(DeferredFieldsResponse failed) {
        failed.lock.lock();
        try {
            fields.putAll(failed.fields);
        } finally {
            failed.lock.unlock();
        }
    }

    /** Whether no filter of the application is between here and the container. */
    boolean isOutermost() {
        return outermost;
    }

    /** Whether any of the body was written. */
    boolean isBegun() {
        return written > 0;
    }

    /** A dispatch of asynchronous work begins. */
    void dispatchAgain() {
        lock.lock();
        try {
            dispatched = true;
        } finally {
            lock.unlock();
        }
    }

    /** The dispatch is over, and none is known to follow: asynchronous work may send the answer at any time. */
    void goOn() {
        lock.lock();
        try {
            dispatched = false;
            release();
        } finally {
            lock.unlock();
        }
    }

    /** The status is known, or the fields cannot wait for it any longer. Later calls do nothing. */
    void release() {
        if (decided) {
            return;
        }
        lock.lock();
        try {
            if (!decided) {
                dropping = getStatus() >= SC_MULTIPLE_CHOICES && getStatus() < SC_BAD_REQUEST;
                boolean taken = true;
                if (!dropping) {
                    for (Map.Entry<String, String> field : fields.entrySet()) {
                        target.setHeader(field.getKey(), field.getValue());
                        taken = target.containsHeader(field.getKey());
                    }
                }
                // some containers ignore fields within an include
                decided = taken || isCommitted();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The status of the answer is that one, unless the container ignores that within an include. The one of an interim
     * response is not, nor is the -1 that cuts the connection.
     */
    private void release(int status) {
        if (status < SC_OK) {
            return;
        }
        lock.lock();
        try {
            setStatus(status);
            if (getStatus() == status) {
                release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** At most so many bytes are about to be written: the container may send them, or an answer as long as it should be. */
    private void writing(long size) {
        written += size;
        if (!outermost
                || written >= getBufferSize()
                || size > getBufferSize() / 4 && Container.of(target) == Container.JETTY
                || target.containsHeader(CONTENT_LENGTH)) {
            release();
        }
    }

    @Override
    public void setContentLength(int length) {
        if (written > 0) {
            release();
        }
        super.setContentLength(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        if (written > 0) {
            release();
        }
        super.setContentLengthLong(length);
    }

    @Override
    public void setHeader(@Nullable String name, String value) {
        lock.lock();
        try {
            if (name != null && RateLimitHeaders.NAMES.contains(name)) {
                fields.put(name, value);
                if (decided && !dropping) {
                    target.setHeader(name, value);
                }
                return;
            }
            if (written > 0 && CONTENT_LENGTH.equalsIgnoreCase(name)) {
                release();
            }
            super.setHeader(name, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addHeader(String name, String value) {
        lock.lock();
        try {
            if (written > 0 && CONTENT_LENGTH.equalsIgnoreCase(name)) {
                release();
            }
            super.addHeader(name, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        lock.lock();
        try {
            if (written > 0 && CONTENT_LENGTH.equalsIgnoreCase(name)) {
                release();
            }
            super.setIntHeader(name, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addIntHeader(String name, int value) {
        lock.lock();
        try {
            if (written > 0 && CONTENT_LENGTH.equalsIgnoreCase(name)) {
                release();
            }
            super.addIntHeader(name, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setDateHeader(String name, long date) {
        lock.lock();
        try {
            super.setDateHeader(name, date);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addDateHeader(String name, long date) {
        lock.lock();
        try {
            super.addDateHeader(name, date);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addCookie(Cookie cookie) {
        lock.lock();
        try {
            super.addCookie(cookie);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean containsHeader(String name) {
        lock.lock();
        try {
            return !decided && fields.containsKey(name) || super.containsHeader(name);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable String getHeader(String name) {
        lock.lock();
        try {
            String value = decided ? null : fields.get(name);
            return value == null ? super.getHeader(name) : value;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Collection<String> getHeaders(String name) {
        lock.lock();
        try {
            String value = decided ? null : fields.get(name);
            return value == null ? super.getHeaders(name) : List.of(value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Collection<String> getHeaderNames() {
        lock.lock();
        try {
            if (decided) {
                return super.getHeaderNames();
            }
            Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
            names.addAll(fields.keySet());
            return names;
        } finally {
            lock.unlock();
        }
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

    /** The status may still change until something is sent. */
    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return new ReleasingStream(this, super.getOutputStream());
    }

    /** The status may still change until something is sent. */
    @Override
    public PrintWriter getWriter() throws IOException {
        return new ReleasingWriter(this, super.getWriter());
    }

    @Override
    public void reset() {
        lock.lock();
        try {
            super.reset();
            decided = false;
            dropping = false;
            written = 0;
            if (!dispatched) {
                release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has the fields released before the container may send any of the body. */
    private static final class ReleasingStream extends ServletOutputStream {

        private final DeferredFieldsResponse fields;
        private final ServletOutputStream target;

        ReleasingStream(DeferredFieldsResponse fields, ServletOutputStream target) {
            this.fields = fields;
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            if (!fields.decided) {
                fields.writing(1);
            }
            target.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (!fields.decided) {
                fields.writing(length);
            }
            target.write(bytes, offset, length);
        }

        /** Encoded as a whole by the container. */
        @Override
        public void print(String text) throws IOException {
            if (!fields.decided) {
                fields.writing(
                        (long) MOST_BYTES_OF_A_CHARACTER * String.valueOf(text).length());
            }
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

    /** Has the fields released before the container may send any of the body. */
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
            if (!fields.decided) {
                fields.writing(MOST_BYTES_OF_A_CHARACTER);
            }
            target.write(value);
        }

        @Override
        public void write(char[] chars, int offset, int length) {
            if (!fields.decided) {
                fields.writing((long) MOST_BYTES_OF_A_CHARACTER * length);
            }
            target.write(chars, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) {
            if (!fields.decided) {
                fields.writing((long) MOST_BYTES_OF_A_CHARACTER * length);
            }
            target.write(text, offset, length);
        }

        /** Ends the line as the container does. */
        @Override
        public void println() {
            if (!fields.decided) {
                fields.writing((long) MOST_BYTES_OF_A_CHARACTER
                        * System.lineSeparator().length());
            }
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
