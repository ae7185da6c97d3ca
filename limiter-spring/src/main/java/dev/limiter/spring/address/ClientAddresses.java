package dev.limiter.spring.address;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of a client: the peer, or the first untrusted address in the chain of senders that trusted proxies
 * report. Header entries left of that address came from the client itself, and are not read. After an unreadable entry,
 * the last trusted proxy counts as the client. Resolves no host names and never fails. Thread-safe.
 */
public final class ClientAddresses {

    /**
     * Replaces the address of clients with two contradictory headers. They share a bucket of their own. In the bucket
     * of the proxy, they would get its health probes rejected.
     */
    public static final String CONTRADICTORY = "contradictory";

    static final String FORWARDED = "Forwarded";
    static final String X_FORWARDED_FOR = "X-Forwarded-For";

    private final AddressSettings settings;
    private final AddressRanges trusted;
    private final boolean trustsNone;
    private final ProxyWarnings report = new ProxyWarnings();

    public ClientAddresses(AddressSettings settings) {
        this.settings = settings;
        this.trusted = settings.trustedProxies();
        this.trustsNone = trusted.isEmpty();
        if (trusted.containsAll()) {
            report.allAreTrusted();
        }
    }

    /**
     * Returns the client as text: {@code 192.0.2.1} for {@code 192.0.2.1} and {@code ::ffff:192.0.2.1};
     * {@code 2001:db8:0:0::/64} for {@code 2001:db8::1}. For a peer without an address, such as a local socket, returns
     * the server's name for it. Returns {@link #CONTRADICTORY} if two headers name different clients.
     */
    public @Nullable String of(Sender sender) {
        String text = sender.peer();
        if (text == null || trustsNone && text.indexOf(':') < 0) {
            report.untrusted(sender, null);
            return text;
        }
        IpAddress peer = ForwardedNode.parse(text);
        if (!trusted.contains(peer)) {
            report.untrusted(sender, peer);
        }
        if (peer == null) {
            return text;
        }
        ClientAddress client = trusted.contains(peer) ? behind(peer, sender) : new ClientAddress(peer, true);
        return client == null ? CONTRADICTORY : client.address().network(settings.ipv6Prefix());
    }

    /** Returns the full address of the client and its certainty; null for a peer without an address. */
    public @Nullable ClientAddress find(Sender sender) {
        String text = sender.peer();
        IpAddress peer = text == null ? null : ForwardedNode.parse(text);
        if (peer != null && trusted.contains(peer)) {
            ClientAddress client = behind(peer, sender);
            return client == null ? new ClientAddress(peer, false) : client;
        }
        report.untrusted(sender, peer);
        return peer == null ? null : new ClientAddress(peer, !ProxyWarnings.isForwarded(sender));
    }

    /** Returns the client behind a trusted proxy; null if two headers contradict each other. */
    private @Nullable ClientAddress behind(IpAddress peer, Sender sender) {
        TrustedHeader header = settings.forwardedHeader();
        ClientAddress standard = header == TrustedHeader.X_FORWARDED_FOR
                ? null
                : walk(peer, new HeaderElements(sender.header(FORWARDED), true), ForwardedElement::parse);
        ClientAddress customary = header == TrustedHeader.FORWARDED
                ? null
                : walk(peer, new HeaderElements(xForwardedFor(sender), false), ForwardedNode::parse);
        if (standard == null || customary == null) {
            return standard != null
                    ? standard
                    : customary != null ? customary : new ClientAddress(peer, !ProxyWarnings.isForwarded(sender));
        }
        int prefix = settings.ipv6Prefix();
        if (standard.address().network(prefix).equals(customary.address().network(prefix))) {
            return standard.equals(customary) ? standard : new ClientAddress(standard.address(), false);
        }
        // Most proxies write one of the headers, and forward the other one as the client sent it.
        report.contradiction();
        return null;
    }

    private static List<String> xForwardedFor(Sender sender) {
        List<String> lines = sender.header(X_FORWARDED_FOR);
        if (sender.claimed() == null) {
            return lines;
        }
        List<String> all = new ArrayList<>(lines);
        all.add(sender.claimed());
        return all;
    }

    /** Follows the hops from the peer to the first untrusted address; returns null if the header is empty. */
    private @Nullable ClientAddress walk(
            IpAddress peer, HeaderElements elements, Function<String, @Nullable IpAddress> reader) {
        IpAddress hop = null;
        for (String element = elements.next(); element != null; element = elements.next()) {
            IpAddress from = reader.apply(element);
            if (from == null) {
                return new ClientAddress(hop == null ? peer : hop, false);
            }
            hop = from;
            if (!trusted.contains(hop)) {
                break;
            }
        }
        return hop == null ? null : new ClientAddress(hop, true);
    }
}
