package dev.limiter.spring.address;

/**
 * The settings that determine the address of a client.
 *
 * @param trustedProxies the networks of trusted proxies
 * @param forwardedHeader the header in which they report the client
 * @param ipv6Prefix the prefix length that identifies an IPv6 client, 1 to 128
 */
public record AddressSettings(AddressRanges trustedProxies, TrustedHeader forwardedHeader, int ipv6Prefix) {

    /** No trusted proxy, and networks of the default length. */
    public static final AddressSettings DEFAULT = new AddressSettings(AddressRanges.NONE, TrustedHeader.ANY, 64);

    /**
     * Returns the client of an address or network in any spelling: {@code 2001:db8:0:1::/64} for
     * {@code 2001:DB8:0:1::5}. Returns other texts unchanged.
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
