package dev.limiter.spring.address;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Says once what is wrong with the proxies of an application. Thread-safe. */
final class ProxyWarnings {

    private static final Log logger = LogFactory.getLog(ClientAddresses.class);

    /** Where most proxies are; the address itself may be a client's, and does not belong into a log. */
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

    private final AtomicBoolean untrustedSaid = new AtomicBoolean();
    private final AtomicBoolean contradictionSaid = new AtomicBoolean();

    void everybodyIsTrusted() {
        logger.error(
                "limiter.web.trusted-proxies trusts everybody: any client can say that it is another one, and get a"
                        + " new bucket with each request. List only the addresses of your proxies.");
    }

    /** If forwarded headers came from a peer that may not send them. */
    void untrusted(Sender sender, @Nullable IpAddress peer) {
        if (untrustedSaid.get() || !isForwarded(sender) || !untrustedSaid.compareAndSet(false, true)) {
            return;
        }
        IpAddress address = peer != null || sender.peer() == null ? peer : IpAddress.parse(sender.peer());
        String network = network(address);
        logger.error("A request came with a Forwarded or X-Forwarded-For header, but from a peer "
                + (network == null ? "" : "in " + network + " ")
                + "that limiter.web.trusted-proxies does not hold. Such headers are not believed: the client is taken"
                + " to be the peer. If the peer is a proxy of yours, all its clients share one bucket; list it, as in"
                + " limiter.web.trusted-proxies: [\"" + (network == null ? "192.0.2.0/24" : network)
                + "\"]. If no proxy is in front of this application, clients made the header up, and nothing is wrong."
                + " This is said once; the peer is logged at debug level.");
        logger.debug("The peer is " + sender.peer());
    }

    void contradiction() {
        if (contradictionSaid.compareAndSet(false, true)) {
            logger.error("A request came with a Forwarded and an X-Forwarded-For header that name different clients."
                    + " Neither is believed: all such requests share one bucket of their own. Say which of them your"
                    + " proxies write, with limiter.web.forwarded-header: x-forwarded-for (or forwarded), or have them"
                    + " remove the other. This is said once.");
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
