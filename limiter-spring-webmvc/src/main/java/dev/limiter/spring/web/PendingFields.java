package dev.limiter.spring.web;

import dev.limiter.spring.response.FieldSink;
import jakarta.servlet.http.HttpServletResponse;
import java.util.LinkedHashMap;
import java.util.Map;

/** Collects the RateLimit fields of a request until its response is committed and the status is known. Thread-safe. */
final class PendingFields implements FieldSink {

    private final Map<String, String> fields = new LinkedHashMap<>(4);

    @Override
    public synchronized void set(String name, String value) {
        fields.put(name, value);
    }

    /** Writes the fields, except to redirects: clients without remaining permits would wait before following them. */
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

    /** Removes the fields; has no effect on Tomcat 10. */
    private void removeFrom(HttpServletResponse response) {
        for (String name : fields.keySet()) {
            if (response.containsHeader(name)) {
                response.setHeader(name, null);
            }
        }
    }
}
