package dev.limiter.spring.context;

import org.jspecify.annotations.Nullable;

/** The response in {@code charge-if} ({@code #response}), before its first byte is sent. */
public interface ResponseView {

    /** Returns the status about to be sent; 500 after an unhandled failure of the handler. */
    int status();

    /** Returns the value of a header; null if it is not set. */
    @Nullable
    String getHeader(String name);
}
