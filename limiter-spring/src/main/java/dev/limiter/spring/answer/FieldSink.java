package dev.limiter.spring.answer;

/** The header fields of an answer; they no longer change once the answer is under way. */
public interface FieldSink {

    boolean contains(String name);

    /** Replaces what the field said. */
    void set(String name, String value);

    /** Lets scripts of other origins read the fields, where they may read the answer at all. */
    void expose(String... names);
}
