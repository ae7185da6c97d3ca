package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * A network, such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}, or a single address. IPv4 networks contain no IPv6
 * addresses and vice versa.
 *
 * @param prefix the length of the prefix, of 128 bits
 */
record AddressRange(IpAddress network, int prefix) {

    private static final String EXAMPLES = "Write a network such as 10.0.0.0/8 or 2001:db8::/32, or a single address";

    /**
     * Parses a network or an address.
     *
     * @throws IllegalArgumentException with the mistake and a correct example in its message
     */
    public static AddressRange parse(String text) {
        String trimmed = text.strip();
        int slash = trimmed.indexOf('/');
        String address = slash < 0 ? trimmed : trimmed.substring(0, slash);
        IpAddress network = address.indexOf('%') >= 0 ? null : IpAddress.parse(address);
        if (network == null) {
            throw new IllegalArgumentException(
                    "It is not an IP address or network (host names are not resolved). " + EXAMPLES);
        }
        boolean dotted = address.indexOf(':') < 0;
        int offset = dotted ? IpAddress.IPV4_OFFSET : 0;
        int prefix = slash < 0 ? IpAddress.BITS : offset + prefix(trimmed.substring(slash + 1), dotted ? 32 : 128);
        IpAddress first = first(network, prefix);
        if (!first.equals(network)) {
            throw new IllegalArgumentException("The bits after the prefix must be zero. Did you mean "
                    + first.network(IpAddress.BITS) + "/" + (prefix - offset) + "? " + EXAMPLES);
        }
        return new AddressRange(network, prefix);
    }

    private static int prefix(String text, int longest) {
        boolean number = text.matches("0|[1-9][0-9]{0,2}");
        if (!number || Integer.parseInt(text) > longest) {
            throw new IllegalArgumentException(
                    "The prefix after the slash must be a number from 0 to " + longest + ". " + EXAMPLES);
        }
        return Integer.parseInt(text);
    }

    private static IpAddress first(IpAddress address, int prefix) {
        long high = prefix == 0 ? 0 : prefix >= 64 ? -1 : -1L << 64 - prefix;
        long low = prefix <= 64 ? 0 : -1L << IpAddress.BITS - prefix;
        return new IpAddress(address.high() & high, address.low() & low);
    }

    public boolean contains(@Nullable IpAddress address) {
        return address != null && address.isIpv4() == isIpv4() && address.sharesPrefix(network, prefix);
    }

    /** Returns whether it contains all IPv4 or all IPv6 addresses. */
    boolean containsAll() {
        return prefix == (isIpv4() ? IpAddress.IPV4_OFFSET : 0);
    }

    boolean isIpv4() {
        return network.isIpv4() && prefix >= IpAddress.IPV4_OFFSET;
    }

    @Override
    public String toString() {
        return network.network(IpAddress.BITS) + "/" + (isIpv4() ? prefix - IpAddress.IPV4_OFFSET : prefix);
    }
}
