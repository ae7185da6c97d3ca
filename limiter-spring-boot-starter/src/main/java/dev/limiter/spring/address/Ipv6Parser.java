package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/** Reads IPv6 addresses without ever asking a name server, which the JDK's own methods do not promise. */
final class Ipv6Parser {

    private static final int GROUPS = 8;

    private final String text;
    private final int end;
    private final int[] groups = new int[GROUPS];
    private int position;
    private int count;
    private int gap = -1;

    private Ipv6Parser(String text, int start, int end) {
        this.text = text;
        this.position = start;
        this.end = end;
    }

    /** The 8 groups of an address, with or without brackets and zone; null if it is none. */
    static int @Nullable [] parse(String text) {
        int start = text.startsWith("[") ? 1 : 0;
        int end = text.endsWith("]") ? text.length() - 1 : text.length();
        int zone = text.indexOf('%');
        Ipv6Parser parser = new Ipv6Parser(text, start, zone >= 0 ? zone : end);
        return parser.readGroups() ? parser.spread() : null;
    }

    private boolean readGroups() {
        if (text.startsWith("::", position)) {
            gap = 0;
            position += 2;
        }
        while (position < end) {
            if (!readGroup()) {
                return false;
            }
        }
        return gap >= 0 ? count < GROUPS : count == GROUPS;
    }

    /** A group and the colons after it. */
    private boolean readGroup() {
        int groupEnd = text.indexOf(':', position);
        boolean last = groupEnd < 0 || groupEnd >= end;
        if (last) {
            groupEnd = end;
            if (text.indexOf('.', position) >= 0) {
                return readIpv4();
            }
        }
        int value = number(position, groupEnd, 16, 4);
        if (value < 0 || count == GROUPS) {
            return false;
        }
        groups[count++] = value;
        position = groupEnd;
        return last || skipColons();
    }

    private boolean skipColons() {
        position++;
        if (position == end) {
            return false;
        }
        if (text.charAt(position) == ':') {
            if (gap >= 0) {
                return false;
            }
            gap = count;
            position++;
        }
        return true;
    }

    private boolean readIpv4() {
        int bits = 0;
        for (int i = 0; i < 4; i++) {
            int dot = i == 3 ? end : text.indexOf('.', position);
            int value = dot < 0 ? -1 : number(position, dot, 10, 3);
            if (value < 0 || value > 255) {
                return false;
            }
            bits = bits << 8 | value;
            position = dot + 1;
        }
        if (count > GROUPS - 2) {
            return false;
        }
        groups[count++] = bits >>> 16;
        groups[count++] = bits & 0xffff;
        return true;
    }

    private int number(int from, int to, int radix, int maxDigits) {
        if (to <= from || to - from > maxDigits) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            int digit = c < 128 ? Character.digit(c, radix) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * radix + digit;
        }
        return value;
    }

    private int[] spread() {
        if (gap < 0) {
            return groups;
        }
        int[] spread = new int[GROUPS];
        System.arraycopy(groups, 0, spread, 0, gap);
        System.arraycopy(groups, gap, spread, GROUPS - (count - gap), count - gap);
        return spread;
    }
}
