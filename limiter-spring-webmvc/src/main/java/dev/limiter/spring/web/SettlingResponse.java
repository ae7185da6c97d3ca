package dev.limiter.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells when an answer is about to be sent: its status is final then, and its first byte still here. That is not at the
 * first write: what fits into the buffer can be taken back, and is, when a handler fails while it writes. So bytes are
 * counted until they fill the buffer, or are all that were announced.
 */
final class SettlingResponse extends HttpServletResponseWrapper {

    /** In bytes. Jetty sends more than this at once, whatever the size of its buffer. */
    private static final int MOST_BUFFERED_AT_ONCE = 8192;

    private final IntConsumer beforeSending;
    private volatile boolean sending;
    private volatile boolean unbuffered;
    private long written;
    private long announced = Long.MAX_VALUE;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /** {@code beforeSending} is told the status, once. */
    SettlingResponse(HttpServletResponse response, IntConsumer beforeSending) {
        super(response);
        this.beforeSending = beforeSending;
    }

    /** From now on nobody knows when the buffer is sent: the first byte that is written counts as sent. */
    void expectNoBuffer() {
        unbuffered = true;
        if (written > 0) {
            send(getStatus());
        }
    }

    /** A dispatch is under way, at whose end this is asked again: until then the buffer is what it is. */
    void expectBuffer() {
        unbuffered = false;
    }

    boolean isSending() {
        return sending;
    }

    /** Has to be called before anything that sends. */
    void send(int status) {
        if (!sending) {
            sending = true;
            beforeSending.accept(status);
        }
    }

    /** Has to be called before anything is written. */
    void write(long bytes) {
        if (!sending) {
            written += bytes;
            if (unbuffered || bytes > MOST_BUFFERED_AT_ONCE || written >= Math.min(getBufferSize(), announced)) {
                send(getStatus());
            }
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        send(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        send(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        send(SC_FOUND);
        super.sendRedirect(location);
    }

    @Override
    public void flushBuffer() throws IOException {
        send(getStatus());
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
            PrintWriter target = super.getWriter();
            writer = new SettlingWriter(
                    this, target, Charset.forName(getCharacterEncoding()).newEncoder());
        }
        return writer;
    }

    @Override
    public void reset() {
        super.reset();
        written = 0;
        announced = Long.MAX_VALUE;
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        written = 0;
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
        if (!sending && "Content-Length".equalsIgnoreCase(name) && value != null) {
            try {
                announce(Long.parseLong(value.strip()));
            } catch (NumberFormatException garbage) {
                announced = Long.MAX_VALUE;
            }
        }
    }

    /** An answer is complete, and may be sent, once all that was announced is there. */
    private void announce(long length) {
        announced = length > 0 ? length : Long.MAX_VALUE;
        if (written >= announced) {
            send(getStatus());
        }
    }
}
