package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * An IP address as 128 bits. IPv4 addresses are IPv4-mapped IPv6 addresses ({@code ::ffff:192.0.2.1}), however they
 * were written.
 */
public record IpAddress(long high, long low) {

    static final int BITS = 128;

    /** Where the bits of IPv4 begin. */
    static final int IPV4_OFFSET = 96;

    private static final int GROUP_BITS = 16;
    private static final long IPV4_MARK = 0xffffL;

    /** Returns the IPv4 address of these 32 bits. */
    static IpAddress ofIpv4(long bits) {
        return new IpAddress(0, IPV4_MARK << 32 | bits);
    }

    /**
     * Parses an address; a zone ({@code fe80::1%eth0}) is dropped. Resolves no host names, and accepts only decimal
     * IPv4 without leading zeros, which some parsers read as octal. Returns null if it is not an address.
     */
    public static @Nullable IpAddress parse(String text) {
        return IpAddressParser.parse(text);
    }

    public boolean isIpv4() {
        return high == 0 && low >>> 32 == IPV4_MARK;
    }

    /** Returns whether the first bits of both are the same. */
    boolean sharesPrefix(IpAddress other, int bits) {
        return bits <= 64
                ? bits == 0 || (high ^ other.high) >>> 64 - bits == 0
                : high == other.high && (low ^ other.low) >>> BITS - bits == 0;
    }

    /**
     * Returns the text that identifies a client: an IPv4 address ({@code 192.0.2.1}), or the network of an IPv6 address
     * ({@code 2001:db8:0:0::/64}), because a client usually has all addresses of its network.
     *
     * @param ipv6Prefix the length of that network, 1 to 128
     */
    public String network(int ipv6Prefix) {
        if (isIpv4()) {
            return (low >>> 24 & 0xff) + "." + (low >>> 16 & 0xff) + "." + (low >>> 8 & 0xff) + "." + (low & 0xff);
        }
        int groups = (ipv6Prefix + GROUP_BITS - 1) / GROUP_BITS;
        StringBuilder network = new StringBuilder(24);
        for (int i = 0; i < groups; i++) {
            network.append(i == 0 ? "" : ":").append(Integer.toHexString(group(i, ipv6Prefix)));
        }
        if (ipv6Prefix == BITS) {
            return network.toString();
        }
        return network.append(groups * GROUP_BITS == BITS ? "/" : "::/")
                .append(ipv6Prefix)
                .toString();
    }

    /** Returns 16 bits, with zeros after the prefix. */
    private int group(int index, int prefix) {
        long half = index < 4 ? high : low;
        int bits = (int) (half >>> 48 - index % 4 * GROUP_BITS) & 0xffff;
        int beyond = Math.max((index + 1) * GROUP_BITS - prefix, 0);
        return bits >>> beyond << beyond;
    }
}
