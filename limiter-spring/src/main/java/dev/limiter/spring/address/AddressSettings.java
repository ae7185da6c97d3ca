package dev.limiter.spring.address;

/**
 * How the address of a client is found.
 *
 * @param trustedProxies networks of the proxies that may name the client
 * @param forwardedHeader where they say it
 * @param ipv6Prefix the length of the networks that IPv6 clients are told apart by, 1 to 128
 */
public record AddressSettings(AddressRanges trustedProxies, TrustedHeader forwardedHeader, int ipv6Prefix) {

    /** No trusted proxy, and networks of the default length. */
    public static final AddressSettings DEFAULT = new AddressSettings(AddressRanges.NONE, TrustedHeader.ANY, 64);

    /**
     * The client that an address or network stands for, in any spelling of it: {@code 2001:db8:0:1::/64} for {@code
     * 2001:DB8:0:1::5}. A text that is neither as it is.
     */
    public String client(String text) {
        String bare = text.strip();
        String length = "/" + ipv6Prefix;
        IpAddress address = IpAddress.parse(
                bare.endsWith(length) && bare.indexOf(':') >= 0
                        ? bare.substring(0, bare.length() - length.length())
                        : bare);
        return address == null ? text : address.network(ipv6Prefix);
    }
}
