package dev.limiter.spring.web;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells when an answer is about to be sent: its status is final then, and its first byte still here. While charges are
 * open, it holds the beginning of the body itself, as much as the buffer of the container would, so that nothing else
 * decides when that is sent. Used by one thread after the other, and by those of asynchronous work at once.
 */
final class SettlingResponse extends HttpServletResponseWrapper {

    /** The beginning of a body, of which the container knows nothing. */
    interface Body {

        boolean isEmpty();

        /** Hands all that is held to the container. */
        void pass() throws IOException;

        /** Forgets what is held. */
        void drop();
    }

    /** What becomes of bytes that are written. */
    enum Fate {
        /** They may still be taken back. */
        HELD,
        /** They go to the container, which sends them when it likes. */
        BUFFERED,
        /** They go to the container, and to the client at once: the status that was settled is the one that it gets. */
        SENT
    }

    private final BooleanSupplier open;
    private final Consumer<ResponseView> beforeSending;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean sending;
    private volatile boolean unbuffered;
    private volatile long announced = Long.MAX_VALUE;
    private boolean errorPageFollows;
    private boolean awaitingErrorPage;
    private @Nullable SettlingOutputStream stream;
    private @Nullable SettlingWriter writer;

    /**
     * @param open whether any charge waits for the answer; once true, always true
     * @param beforeSending is told the answer, once
     */
    SettlingResponse(HttpServletResponse response, BooleanSupplier open, Consumer<ResponseView> beforeSending) {
        super(response);
        this.open = open;
        this.beforeSending = beforeSending;
    }

    /**
     * A dispatch begins.
     *
     * @param errorPageFollows whether the container makes another dispatch of one that fails
     */
    void begin(boolean errorPageFollows) {
        this.errorPageFollows = errorPageFollows;
        unbuffered = false;
        if (awaitingErrorPage) {
            awaitingErrorPage = false;
            sending = false;
            stream = null;
            writer = null;
        }
    }

    /** From now on nobody knows when the answer is complete: what is held is handed over, and what is written next. */
    void expectNoBuffer() throws IOException {
        lock();
        try {
            unbuffered = true;
            if (!isEmpty()) {
                send();
            }
        } finally {
            unlock();
        }
    }

    private boolean isEmpty() {
        return (stream == null || stream.isEmpty()) && (writer == null || writer.isEmpty());
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    boolean isSending() {
        return sending;
    }

    /** Whether the answer is one that the container is to replace by an error page. */
    boolean isAwaitingErrorPage() {
        return awaitingErrorPage;
    }

    /** Whether a body may be held. If so, {@link #fate} tells, with the lock. */
    boolean isHolding() {
        return !sending && open.getAsBoolean();
    }

    /** What becomes of what is to be written. What is held goes to the container before it. {@code size}: in bytes, of both. */
    Fate fate(long size) throws IOException {
        if (!isHolding()) {
            return Fate.BUFFERED;
        }
        if (!unbuffered && size <= getBufferSize() && size < announced) {
            return Fate.HELD;
        }
        send();
        return unbuffered ? Fate.BUFFERED : Fate.SENT;
    }

    /** Settles, and hands over what is held. Later calls do nothing. */
    void send() throws IOException {
        send(new AnswerView(container(), getStatus()));
    }

    private void send(ResponseView answer) throws IOException {
        lock();
        try {
            if (!sending) {
                beforeSending.accept(answer);
                if (stream != null) {
                    stream.pass();
                }
                if (writer != null) {
                    writer.pass();
                }
            }
        } finally {
            sending = true;
            unlock();
        }
    }

    /** The dispatch has failed, by an exception. */
    void fail() {
        fail(SC_INTERNAL_SERVER_ERROR);
    }

    /** What is held is no answer: the container replaces it by an error page, if it has one for that. */
    private void fail(int status) {
        if (errorPageFollows && status >= SC_BAD_REQUEST) {
            awaitingErrorPage |= replace(null);
        } else {
            replace(new AnswerView(container(), status));
        }
    }

    /**
     * Drops what is held and settles by another answer, unless one is under way.
     *
     * @param answer null if it is not known yet
     * @return whether it has to be waited for
     */
    private boolean replace(@Nullable ResponseView answer) {
        lock();
        try {
            if (sending) {
                return false;
            }
            drop();
            ResponseView settled = isCommitted() ? new AnswerView(container(), getStatus()) : answer;
            if (settled != null) {
                beforeSending.accept(settled);
            }
            return settled == null;
        } finally {
            sending = true;
            unlock();
        }
    }

    private void drop() {
        lock();
        try {
            if (stream != null) {
                stream.drop();
            }
            if (writer != null) {
                writer.drop();
            }
        } finally {
            unlock();
        }
    }

    private HttpServletResponse container() {
        return (HttpServletResponse) getResponse();
    }

    @Override
    public void sendError(int status) throws IOException {
        fail(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        fail(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        replace(new AnswerView(container(), SC_FOUND, location));
        super.sendRedirect(location);
    }

    /** Of Servlet 6.1, which this class is not compiled against. */
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    /** Of Servlet 6.1. */
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    /** Of Servlet 6.1. */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        AnswerView answer = new AnswerView(container(), status, location);
        if (clearBuffer) {
            replace(answer);
        } else {
            send(answer);
        }
        StatusRedirection.send(container(), location, status, clearBuffer);
    }

    @Override
    public void flushBuffer() throws IOException {
        send();
        super.flushBuffer();
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new SettlingOutputStream(this, super.getOutputStream());
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new SettlingWriter(this, super.getWriter(), Charset.forName(getCharacterEncoding()));
        }
        return writer;
    }

    @Override
    public void reset() {
        super.reset();
        drop();
        announced = Long.MAX_VALUE;
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        drop();
    }

    @Override
    public void setBufferSize(int size) {
        if (!isEmpty()) {
            throw new IllegalStateException("The size of a buffer cannot change once it holds something");
        }
        super.setBufferSize(size);
    }

    @Override
    public void setContentLength(int length) {
        super.setContentLength(length);
        announce(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        super.setContentLengthLong(length);
        announce(length);
    }

    @Override
    public void setHeader(String name, String value) {
        super.setHeader(name, value);
        announce(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        super.addHeader(name, value);
        announce(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
        announce(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
        announce(name, Integer.toString(value));
    }

    private void announce(String name, @Nullable String value) {
        if ("Content-Length".equalsIgnoreCase(name) && value != null) {
            try {
                announce(Long.parseLong(value.strip()));
            } catch (NumberFormatException garbage) {
                announced = Long.MAX_VALUE;
            }
        }
    }

    /** An answer is complete, and is sent, once all that was announced is there. */
    private void announce(long length) {
        announced = length > 0 ? length : Long.MAX_VALUE;
    }
}
