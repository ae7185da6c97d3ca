package dev.limiter.spring.address;

/**
 * The address of a client.
 *
 * @param certain false if it may be the address of another client: an untrusted peer forwarded the request, or the
 *     entry of a trusted proxy is unreadable. Such an address can be limited, but not exempted
 */
public record ClientAddress(IpAddress address, boolean certain) {}
