package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/**
 * The element of one proxy in a {@code Forwarded} header (RFC 7239):
 *
 * <pre>
 * element = pair *( ";" pair )       for=192.0.2.43;proto=http, For="[2001:db8::17]:4711"
 * pair    = token "=" ( token / quoted-string )
 * </pre>
 */
final class ForwardedElement {

    private static final String FOR = "for=";

    private ForwardedElement() {}

    /** Returns the address of the {@code for} parameter; null if there is none, or if there are two. */
    static @Nullable IpAddress parse(String text) {
        IpAddress found = null;
        boolean seen = false;
        int start = 0;
        while (start < text.length()) {
            int end = pairEnd(text, start);
            String pair = HeaderElements.withoutBlanks(text.substring(start, end));
            if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
                if (seen) {
                    return null;
                }
                seen = true;
                found = value(pair.substring(FOR.length()));
            }
            start = end + 1;
        }
        return found;
    }

    /** Returns the next semicolon outside of quotes, or the end. */
    private static int pairEnd(String text, int start) {
        boolean quoted = false;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            } else if (c == ';' && !quoted) {
                return i;
            }
        }
        return text.length();
    }

    private static @Nullable IpAddress value(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        return ForwardedNode.parse(quoted ? text.substring(1, text.length() - 1).replaceAll("\\\\(.)", "$1") : text);
    }
}
