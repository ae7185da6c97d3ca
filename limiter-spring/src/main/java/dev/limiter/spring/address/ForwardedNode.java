package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * The sender of a request in the words of a proxy: an address, in brackets or not, with or without a port. The {@code
 * unknown} and obfuscated identifiers of RFC 7239 are no addresses: a proxy may make up a new one for each request.
 */
final class ForwardedNode {

    private static final int MAX_PORT_DIGITS = 5;

    private ForwardedNode() {}

    /** The address between two positions; null if there is none. */
    static @Nullable IpAddress parse(String text, int start, int end) {
        boolean quoted = end - start >= 2 && text.charAt(start) == '"' && text.charAt(end - 1) == '"';
        return quoted ? unquoted(text, start + 1, end - 1) : unquoted(text, start, end);
    }

    private static @Nullable IpAddress unquoted(String text, int start, int end) {
        if (start < end && text.charAt(start) == '[') {
            return bracketed(text, start + 1, end);
        }
        int colon = TextSlice.indexOf(text, ':', start, end);
        boolean port = colon >= 0 && TextSlice.indexOf(text, ':', colon + 1, end) < 0;
        if (!port) {
            return IpAddressParser.parse(text, start, end);
        }
        return isPort(text, colon + 1, end) ? IpAddressParser.parse(text, start, colon) : null;
    }

    private static @Nullable IpAddress bracketed(String text, int start, int end) {
        int bracket = TextSlice.indexOf(text, ']', start, end);
        if (bracket < 0 || TextSlice.indexOf(text, ':', start, bracket) < 0) {
            return null;
        }
        boolean port = bracket + 1 < end;
        if (port && (text.charAt(bracket + 1) != ':' || !isPort(text, bracket + 2, end))) {
            return null;
        }
        return IpAddressParser.parse(text, start, bracket);
    }

    /** A number, or an obfuscated one. */
    private static boolean isPort(String text, int start, int end) {
        if (start == end) {
            return false;
        }
        if (text.charAt(start) == '_') {
            return true;
        }
        for (int i = start; i < end; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return end - start <= MAX_PORT_DIGITS;
    }
}
