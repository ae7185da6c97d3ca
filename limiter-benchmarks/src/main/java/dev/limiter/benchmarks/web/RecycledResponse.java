package dev.limiter.benchmarks.web;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * A response that is used again and again, as Tomcat does with its own. Keeps headers as Tomcat does, in the order in
 * which they were set. Not thread-safe.
 */
final class RecycledResponse extends MockHttpServletResponse {

    private final List<String> names = new ArrayList<>();
    private final List<String> values = new ArrayList<>();
    private boolean written;

    void recycle() {
        names.clear();
        values.clear();
        if (written) {
            reset();
            written = false;
        }
    }

    /** How many characters of headers there are, so that none of them is written for nobody. */
    int length() {
        int length = 0;
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

    @Override
    public void setStatus(int status) {
        super.setStatus(status);
        written = true;
    }
}
