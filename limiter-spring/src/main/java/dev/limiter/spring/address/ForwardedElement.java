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

    private final String text;
    private final int end;
    private int position;

    private ForwardedElement(String text, int start, int end) {
        this.text = text;
        this.position = start;
        this.end = end;
    }

    /** The address that the element says it is for; null if it says none, or two. */
    static @Nullable IpAddress parse(String text, int start, int end) {
        return new ForwardedElement(text, start, end).read();
    }

    private @Nullable IpAddress read() {
        IpAddress found = null;
        boolean seen = false;
        while (position < end) {
            skipBlanks();
            boolean isFor = text.regionMatches(true, position, FOR, 0, FOR.length());
            int pairEnd = pairEnd();
            if (isFor) {
                if (seen) {
                    return null;
                }
                seen = true;
                int from = position + FOR.length();
                found = value(from, trimmed(from, pairEnd));
            }
            position = pairEnd + 1;
        }
        return found;
    }

    private void skipBlanks() {
        while (position < end && isBlank(text.charAt(position))) {
            position++;
        }
    }

    private int trimmed(int from, int to) {
        int last = to;
        while (last > from && isBlank(text.charAt(last - 1))) {
            last--;
        }
        return last;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** The next semicolon outside of quotes, or the end. */
    private int pairEnd() {
        boolean quoted = false;
        for (int i = position; i < end; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            } else if (c == ';' && !quoted) {
                return i;
            }
        }
        return end;
    }

    private @Nullable IpAddress value(int from, int to) {
        boolean quoted = to - from >= 2 && text.charAt(from) == '"' && text.charAt(to - 1) == '"';
        if (!quoted || TextSlice.indexOf(text, '\\', from, to) < 0) {
            return ForwardedNode.parse(text, from, to);
        }
        String unescaped = text.substring(from + 1, to - 1).replaceAll("\\\\(.)", "$1");
        return ForwardedNode.parse(unescaped, 0, unescaped.length());
    }
}
