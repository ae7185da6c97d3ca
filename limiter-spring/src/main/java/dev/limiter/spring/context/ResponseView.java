package dev.limiter.spring.context;

import org.jspecify.annotations.Nullable;

/** The answer to a request as {@code charge-if} sees it ({@code #response}), before the first byte of it is sent. */
public interface ResponseView {

    /** The status about to be sent; 500 after an unhandled failure of the handler. */
    int status();

    /** Null if there is no such header. */
    @Nullable
    String getHeader(String name);
}
