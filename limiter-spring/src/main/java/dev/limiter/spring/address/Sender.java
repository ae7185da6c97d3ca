package dev.limiter.spring.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender of a request, as reported by the server. */
public interface Sender {

    /** Returns the address of the other end of the connection; null if it is unknown. */
    @Nullable
    String peer();

    /**
     * Returns the address that the server reports in place of the peer after it has read and removed an entry of a
     * forwarded header. Returns null if it reports the peer.
     */
    @Nullable
    String claimed();

    /** Returns the values of a header as they were sent, one for each line. */
    List<String> header(String name);
}
