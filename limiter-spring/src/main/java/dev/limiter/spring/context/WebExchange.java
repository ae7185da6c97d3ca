package dev.limiter.spring.context;

import java.util.List;
import java.util.Map;

/** The HTTP request of an operation of the endpoint, which Actuator does not pass to the operation. Thread-safe. */
public interface WebExchange {

    /** The request of a web framework without access to it. */
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
     * Returns whether the path of the request ends with the name. Actuator would prefer a parameter or field with the
     * same name.
     */
    boolean isAbout(String name);

    /** Returns the parameters of the query. */
    Map<String, List<String>> parameters();
}
