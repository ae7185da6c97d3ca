package dev.limiter.spring.web.settle;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Notes the declared length of its body, set by any method. */
abstract class ContentLengthResponse extends HttpServletResponseWrapper {

    static final long UNKNOWN = Long.MAX_VALUE;

    ContentLengthResponse(HttpServletResponse response) {
        super(response);
    }

    /** Another length is said, or {@link #UNKNOWN}. */
    abstract void contentLengthSet(long length) throws IOException;

    @Override
    public void setContentLength(int length) {
        super.setContentLength(length);
        note(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        super.setContentLengthLong(length);
        note(length);
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        super.setHeader(name, value);
        note(name, value);
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        super.addHeader(name, value);
        note(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
        note(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
        note(name, Integer.toString(value));
    }

    private void note(String name, @Nullable String value) {
        if ("Content-Length".equalsIgnoreCase(name)) {
            try {
                note(value == null ? -1 : Long.parseLong(value.strip()));
            } catch (NumberFormatException garbage) {
                note(-1);
            }
        }
    }

    private void note(long length) {
        try {
            contentLengthSet(length < 0 ? UNKNOWN : length);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
