package dev.limiter.benchmarks.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpServletResponse;

/** A response that is reused, as in Tomcat. Keeps headers in the order in which they were set. Not thread-safe. */
final class RecycledResponse extends MockHttpServletResponse {

    /** In bytes, as in Tomcat. */
    private static final int BUFFER = 8192;

    private final List<String> names = new ArrayList<>();
    private final List<String> values = new ArrayList<>();
    private final byte[] bytes = new byte[BUFFER];
    private final Body body = new Body();
    private int size;
    private boolean written;

    void recycle() {
        size = 0;
        names.clear();
        values.clear();
        if (written) {
            reset();
            written = false;
        }
    }

    /** Returns the size of headers and body; reading it keeps the JIT compiler from removing the writes. */
    int length() {
        int length = size;
        for (int i = 0; i < values.size(); i++) {
            length += names.get(i).length() + values.get(i).length();
        }
        return length;
    }

    private int find(String name) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void setHeader(String name, String value) {
        int known = find(name);
        if (known < 0) {
            names.add(name);
            values.add(value);
        } else {
            values.set(known, value);
        }
    }

    @Override
    public boolean containsHeader(String name) {
        return find(name) >= 0;
    }

    @Override
    public @Nullable String getHeader(String name) {
        int known = find(name);
        return known < 0 ? null : values.get(known);
    }

    @Override
    public List<String> getHeaders(String name) {
        String value = getHeader(name);
        return value == null ? List.of() : List.of(value);
    }

    /** Takes a whole array at once, as a container does; the mock would take and flush single bytes. */
    private final class Body extends ServletOutputStream {

        @Override
        public void write(int b) {
            bytes[size++] = (byte) b;
        }

        @Override
        public void write(byte[] source, int from, int length) {
            System.arraycopy(source, from, bytes, size, length);
            size += length;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException("Nothing writes asynchronously here");
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return body;
    }

    @Override
    public void setStatus(int status) {
        super.setStatus(status);
        written = true;
    }
}
