package dev.limiter.spring.response;

/** The header fields of a response. */
@FunctionalInterface
public interface FieldSink {

    /** Replaces the value of a field. */
    void set(String name, String value);
}
