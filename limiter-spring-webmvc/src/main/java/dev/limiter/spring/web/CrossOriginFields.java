package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Lets scripts read fields of an answer that they got from another origin. Only where the application lets them read
 * the answer at all, which it has said by then: Spring's own processing of CORS comes before limits.
 */
final class CrossOriginFields {

    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String ALLOW_CREDENTIALS = "Access-Control-Allow-Credentials";
    private static final String EXPOSE_HEADERS = "Access-Control-Expose-Headers";

    private CrossOriginFields() {}

    /** Adds to the fields that the application exposes. */
    static void expose(HttpServletResponse response, Collection<String> names) {
        if (response.getHeader(ALLOW_ORIGIN) == null) {
            return;
        }
        String exposed = String.join(", ", response.getHeaders(EXPOSE_HEADERS));
        Set<String> known = names(exposed);
        // With credentials, a browser takes the asterisk for the name of a field.
        if (known.contains("*") && response.getHeader(ALLOW_CREDENTIALS) == null) {
            return;
        }
        StringBuilder all = new StringBuilder(exposed);
        for (String name : names) {
            if (known.add(name.toLowerCase(Locale.ROOT))) {
                all.append(all.isEmpty() ? "" : ", ").append(name);
            }
        }
        response.setHeader(EXPOSE_HEADERS, all.toString());
    }

    private static Set<String> names(String field) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : field.split(",")) {
            names.add(name.strip().toLowerCase(Locale.ROOT));
        }
        return names;
    }
}
