package dev.limiter.spring.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender of a request, according to the server. */
public interface Sender {

    /** The address of the other end of the connection; null if the server does not know it. */
    @Nullable
    String peer();

    /**
     * The address that the server reports in place of the peer, because it trusts a forwarded header and has removed
     * that entry from it; null if it reports the peer.
     */
    @Nullable
    String claimed();

    /** The values of a header as they were sent, one for each line. */
    List<String> header(String name);
}
