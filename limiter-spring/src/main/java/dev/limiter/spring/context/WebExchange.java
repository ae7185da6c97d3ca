package dev.limiter.spring.context;

import java.util.List;
import java.util.Map;

/** The HTTP request of an operation of the endpoint, of which Actuator tells the operation nothing. Thread-safe. */
public interface WebExchange {

    /** The request of an edge that tells nothing of it. */
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
