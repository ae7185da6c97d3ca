package dev.limiter.spring.endpoint;

import java.util.List;
import java.util.Map;

/** The HTTP request and answer of an operation, of which Actuator tells the operation nothing. Thread-safe. */
public interface WebExchange {

    /** The exchange where none is known. */
    WebExchange UNKNOWN = new WebExchange() {

        @Override
        public boolean isAbout(String name) {
            return true;
        }

        @Override
        public Map<String, List<String>> parameters() {
            return Map.of();
        }
    };

    /**
     * Whether the path of the request ends with that name: Actuator prefers a parameter or a field of the same name.
     */
    boolean isAbout(String name);

    /** The parameters of the query. */
    Map<String, List<String>> parameters();
}
