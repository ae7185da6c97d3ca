package dev.limiter.spring.web;

import dev.limiter.spring.answer.FieldSink;
import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashMap;
import java.util.Map;

/** The RateLimit fields of a request until its response is committed: only then its status is known. Thread-safe. */
final class PendingFields implements FieldSink {

    private final Map<String, String> fields = new LinkedHashMap<>(4);

    @Override
    public synchronized void set(String name, String value) {
        fields.put(name, value);
    }

    /** A client that has nothing left would wait before it follows a redirect: that has no fields. */
    synchronized void writeTo(HttpServletResponse response, int status) {
        if (fields.isEmpty()) {
            return;
        }
        if (status >= HttpServletResponse.SC_MULTIPLE_CHOICES && status < HttpServletResponse.SC_BAD_REQUEST) {
            removeFrom(response);
        } else {
            fields.forEach(response::setHeader);
            CrossOriginFields.expose(response, fields.keySet());
        }
    }

    /** Tomcat 10 ignores that. */
    private void removeFrom(HttpServletResponse response) {
        for (String name : fields.keySet()) {
            if (response.containsHeader(name)) {
                response.setHeader(name, null);
            }
        }
    }
}
