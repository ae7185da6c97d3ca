package dev.limiter.spring.address;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a node of a forwarded header: an address, with or without brackets and port. The {@code unknown} and
 * obfuscated identifiers of RFC 7239 are not addresses, because a proxy may invent a new one for each request.
 */
final class ForwardedNode {

    /** A number, or an obfuscated one. */
    private static final Pattern PORT = Pattern.compile(":(_.*|[0-9]{1,5})");

    private ForwardedNode() {}

    /** Returns the address; null if the text contains none. */
    static @Nullable IpAddress parse(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        String node = quoted ? text.substring(1, text.length() - 1) : text;
        if (node.startsWith("[")) {
            int bracket = node.indexOf(']');
            return bracket < 0 || node.lastIndexOf(':', bracket) < 0
                    ? null
                    : withPort(node.substring(1, bracket), node.substring(bracket + 1));
        }
        int colon = node.indexOf(':');
        return colon < 0 || node.indexOf(':', colon + 1) >= 0
                ? IpAddressParser.parse(node)
                : withPort(node.substring(0, colon), node.substring(colon));
    }

    private static @Nullable IpAddress withPort(String address, String port) {
        return port.isEmpty() || PORT.matcher(port).matches() ? IpAddressParser.parse(address) : null;
    }
}
