package dev.limiter.spring.address;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs mistakes in the proxy settings, each of them once. Thread-safe. */
final class ProxyWarnings {

    private static final Log logger = LogFactory.getLog(ClientAddresses.class);

    /** The networks of most proxies. The address itself is not logged, because it may be a client's. */
    private static final AddressRange[] PRIVATE = {
        AddressRange.parse("127.0.0.0/8"),
        AddressRange.parse("10.0.0.0/8"),
        AddressRange.parse("172.16.0.0/12"),
        AddressRange.parse("192.168.0.0/16"),
        AddressRange.parse("169.254.0.0/16"),
        AddressRange.parse("100.64.0.0/10"),
        AddressRange.parse("::1/128"),
        AddressRange.parse("fc00::/7"),
        AddressRange.parse("fe80::/10"),
    };

    private final AtomicBoolean untrustedLogged = new AtomicBoolean();
    private final AtomicBoolean contradictionLogged = new AtomicBoolean();

    void allAreTrusted() {
        logger.error("limiter.web.trusted-proxies contains all addresses: any client can forge its address, and get"
                + " a new bucket with each request. List only the addresses of your proxies.");
    }

    /** Reports forwarded headers from an untrusted peer. */
    void untrusted(Sender sender, @Nullable IpAddress peer) {
        if (untrustedLogged.get() || !isForwarded(sender) || !untrustedLogged.compareAndSet(false, true)) {
            return;
        }
        IpAddress address = peer != null || sender.peer() == null ? peer : IpAddress.parse(sender.peer());
        String network = network(address);
        logger.error("A request has a Forwarded or X-Forwarded-For header, but comes from a peer "
                + (network == null ? "" : "in " + network + " ")
                + "that is not in limiter.web.trusted-proxies. The header is ignored, and the peer counts as the"
                + " client. All clients of your own proxy would share one bucket: add it, for example"
                + " limiter.web.trusted-proxies: [\"" + (network == null ? "192.0.2.0/24" : network)
                + "\"]. If this application has no proxy, a client forged the header, and you can ignore this"
                + " message. It is logged once; the peer is logged at debug level.");
        logger.debug("Untrusted peer: " + sender.peer());
    }

    void contradiction() {
        if (contradictionLogged.compareAndSet(false, true)) {
            logger.error("A request has a Forwarded and an X-Forwarded-For header that name different clients."
                    + " Both are ignored, and all such requests share one bucket of their own. Set"
                    + " limiter.web.forwarded-header to the header that your proxies write, x-forwarded-for or"
                    + " forwarded, or configure the proxies to remove the other one. This message is logged"
                    + " once.");
        }
    }

    static boolean isForwarded(Sender sender) {
        return sender.claimed() != null
                || !sender.header(ClientAddresses.X_FORWARDED_FOR).isEmpty()
                || !sender.header(ClientAddresses.FORWARDED).isEmpty();
    }

    private static @Nullable String network(@Nullable IpAddress address) {
        for (AddressRange range : PRIVATE) {
            if (range.contains(address)) {
                return range.toString();
            }
        }
        return null;
    }
}
