package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * What tells one client from another by its address: an IPv4 address as it is, the network of an IPv6 address, because
 * whoever has one address of a network usually has all of them.
 */
public final class ClientAddress {

    private static final int NETWORK_GROUPS = 4;

    private ClientAddress() {}

    /**
     * {@code 192.0.2.1} for {@code 192.0.2.1} and {@code ::ffff:192.0.2.1}; {@code 2001:db8:0:0::/64} for
     * {@code 2001:db8::1}. Anything that is not an address, such as the path of a socket, stays as it is.
     */
    public static @Nullable String of(@Nullable String address) {
        if (address == null || address.indexOf(':') < 0) {
            return address;
        }
        int[] groups = Ipv6Parser.parse(address);
        if (groups == null) {
            return address;
        }
        return isMapped(groups) ? ipv4(groups) : network(groups);
    }

    private static boolean isMapped(int[] groups) {
        return (groups[0] | groups[1] | groups[2] | groups[3] | groups[4]) == 0 && groups[5] == 0xffff;
    }

    private static String ipv4(int[] groups) {
        return (groups[6] >> 8) + "." + (groups[6] & 0xff) + "." + (groups[7] >> 8) + "." + (groups[7] & 0xff);
    }

    private static String network(int[] groups) {
        StringBuilder network = new StringBuilder(24);
        for (int i = 0; i < NETWORK_GROUPS; i++) {
            network.append(Integer.toHexString(groups[i])).append(':');
        }
        return network.append(":/64").toString();
    }
}
