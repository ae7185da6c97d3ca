package dev.limiter.spring.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender of a request, as the server tells it. */
public interface Sender {

    /** The address of the other end of the connection, as far as the server tells. */
    @Nullable
    String peer();

    /**
     * What the server says instead of the peer because it believes a header of the request itself, whose entry it then has
     * removed; null if it does not.
     */
    @Nullable
    String claimed();

    /** The values of a header as they were sent, one for each line. */
    List<String> header(String name);
}
