package dev.limiter.spring.web.settle;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells when an answer is about to be sent: its status is final then, and its first byte still here. While charges are
 * open, it holds the beginning of the body itself, as much as the buffer of the container would, so that nothing else
 * decides when that is sent.
 */
public final class HeldResponse extends ContentLengthResponse {

    private final HttpServletResponse target;
    private final HeldAnswer answer;
    private @Nullable HeldOutputStream stream;
    private @Nullable HeldWriter writer;

    /**
     * @param open whether any charge waits for the answer; once true, always true
     * @param beforeSending is told the answer; it may be told the same once more when the request is over
     */
    public HeldResponse(
            HttpServletRequest request,
            HttpServletResponse response,
            BooleanSupplier open,
            Consumer<ResponseView> beforeSending) {
        super(response);
        target = response;
        answer = new HeldAnswer(response, !request.getMethod().equals("HEAD"), open, beforeSending);
    }

    /** The held answer. */
    public HeldAnswer answer() {
        return answer;
    }

    /**
     * The lock of the held answer: charges are settled with it, and write fields then. Another lock around calls of
     * this response would be taken in the other order.
     */
    public Lock lock() {
        return answer.lock;
    }

    /** The response below, which is not that of an include. */
    public HttpServletResponse target() {
        return target;
    }

    private HttpServletResponse container() {
        return (HttpServletResponse) getResponse();
    }

    @Override
    public void sendError(int status) throws IOException {
        answer.error(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        answer.error(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        answer.redirect(location, SC_FOUND, true);
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
        answer.redirect(location, status, clearBuffer);
        Servlet61Redirect.send(container(), location, status, clearBuffer);
    }

    @Override
    public void flushBuffer() throws IOException {
        if (answer.isFlushing()) {
            answer.send();
        }
        super.flushBuffer();
    }

    /** One stream or writer for as long as the response lives: a wrapper may keep it beyond a {@link #reset()}. */
    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream target = super.getOutputStream();
        answer.lock();
        try {
            if (stream == null) {
                stream = new HeldOutputStream(answer, target);
                answer.add(stream);
            }
            stream.writeTo(target);
            return stream;
        } finally {
            answer.unlock();
        }
    }

    /** One stream or writer for as long as the response lives: a wrapper may keep it beyond a {@link #reset()}. */
    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter target = super.getWriter();
        answer.lock();
        try {
            if (writer == null) {
                writer = new HeldWriter(answer, target);
                answer.add(writer);
            }
            writer.writeTo(target, Charset.forName(getCharacterEncoding()));
            return writer;
        } finally {
            answer.unlock();
        }
    }

    @Override
    public void reset() {
        answer.lock();
        try {
            super.reset();
            answer.reset();
        } finally {
            answer.unlock();
        }
    }

    @Override
    public void resetBuffer() {
        answer.lock();
        try {
            super.resetBuffer();
            answer.drop();
        } finally {
            answer.unlock();
        }
    }

    @Override
    public void setBufferSize(int size) {
        if (answer.size() > 0) {
            throw new IllegalStateException("The size of a buffer cannot change once it holds something");
        }
        super.setBufferSize(size);
    }

    @Override
    void contentLengthSet(long length) throws IOException {
        answer.contentLength(length);
    }
}
