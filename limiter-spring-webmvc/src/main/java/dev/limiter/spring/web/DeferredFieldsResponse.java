package dev.limiter.spring.web;

import dev.limiter.spring.answer.RateLimitHeaders;
import jakarta.servlet.ServletOutputStream;
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
    private boolean decided;
    private boolean dropping;

    DeferredFieldsResponse(HttpServletResponse response) {
        super(response);
    }

    /** The status is known, or the fields cannot wait for it any longer. Later calls do nothing. */
    synchronized void release() {
        if (!decided) {
            decided = true;
            dropping = getStatus() >= SC_MULTIPLE_CHOICES && getStatus() < SC_BAD_REQUEST;
            if (!dropping) {
                held.forEach(super::setHeader);
            }
            held.clear();
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

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        release();
        return super.getOutputStream();
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        release();
        return super.getWriter();
    }

    @Override
    public synchronized void reset() {
        super.reset();
        held.clear();
        decided = false;
        dropping = false;
    }
}
