package dev.limiter.spring.address;

/**
 * How the address of a client is found.
 *
 * @param trustedProxies who may say who the client is
 * @param forwardedHeader where they say it
 * @param ipv6Prefix the length of the networks that IPv6 clients are told apart by, 1 to 128
 */
public record AddressSettings(AddressRanges trustedProxies, TrustedHeader forwardedHeader, int ipv6Prefix) {

    /** No trusted proxy, and networks of the default length. */
    public static final AddressSettings DEFAULT = new AddressSettings(AddressRanges.NONE, TrustedHeader.ANY, 64);
}
