package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * An internet address by its 128 bits; IPv4 is what is mapped into IPv6 ({@code ::ffff:192.0.2.1}), however it was
 * written.
 */
public record IpAddress(long high, long low) {

    static final int BITS = 128;

    /** Where the bits of IPv4 begin. */
    static final int IPV4_OFFSET = 96;

    private static final int GROUP_BITS = 16;
    private static final long IPV4_MARK = 0xffffL;

    /** The IPv4 address of these 32 bits. */
    static IpAddress ofIpv4(long bits) {
        return new IpAddress(0, IPV4_MARK << 32 | bits);
    }

    /**
     * Reads an address, with or without a zone ({@code fe80::1%eth0}), which is dropped. Never asks a name server;
     * knows only decimal IPv4 without leading zeros, since others read those as octal. Null if it is no address.
     */
    public static @Nullable IpAddress parse(String text) {
        return IpAddressParser.parse(text);
    }

    public boolean isIpv4() {
        return high == 0 && low >>> 32 == IPV4_MARK;
    }

    /** Whether the first bits of both are the same. */
    boolean sharesPrefix(IpAddress other, int bits) {
        return bits <= 64
                ? bits == 0 || (high ^ other.high) >>> 64 - bits == 0
                : high == other.high && (low ^ other.low) >>> BITS - bits == 0;
    }

    /**
     * The text that tells one client from another: an IPv4 address as it is ({@code 192.0.2.1}), of an IPv6 address the
     * network ({@code 2001:db8:0:0::/64}), because a client with one address of a network usually has all of them.
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

    /** 16 bits, without those beyond the prefix. */
    private int group(int index, int prefix) {
        long half = index < 4 ? high : low;
        int bits = (int) (half >>> 48 - index % 4 * GROUP_BITS) & 0xffff;
        int beyond = Math.max((index + 1) * GROUP_BITS - prefix, 0);
        return bits >>> beyond << beyond;
    }
}
