package dev.limiter.spring.address;

/**
 * Who a client is by its address.
 *
 * @param certain false if it may well be somebody else: a peer that is not trusted passed on a request for others, or a
 *     trusted proxy could not be understood. Good enough to limit, not to exempt
 */
public record ClientAddress(IpAddress address, boolean certain) {}
