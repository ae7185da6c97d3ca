package dev.limiter.spring.address;

import org.jspecify.annotations.Nullable;

/** Reads IPv4 and IPv6 addresses without ever asking a name server, which the JDK's own methods do not promise. */
final class IpAddressParser {

    private static final int GROUPS = 8;

    private final String text;
    private final int end;
    private final int[] groups = new int[GROUPS];
    private int position;
    private int count;
    private int gap = -1;

    private IpAddressParser(String text, int start, int end) {
        this.text = text;
        this.position = start;
        this.end = end;
    }

    /** The address between two positions; null if it is none. */
    static @Nullable IpAddress parse(String text, int start, int end) {
        int colon = TextSlice.indexOf(text, ':', start, end);
        if (colon < 0) {
            long bits = ipv4(text, start, end);
            return bits < 0 ? null : IpAddress.ofIpv4(bits);
        }
        int zone = TextSlice.indexOf(text, '%', start, end);
        IpAddressParser parser = new IpAddressParser(text, start, zone < 0 ? end : zone);
        return parser.readGroups() ? parser.address() : null;
    }

    /** The 32 bits of four decimal numbers; -1 if they are none. */
    private static long ipv4(String text, int start, int end) {
        long bits = 0;
        int position = start;
        for (int i = 0; i < 4; i++) {
            int dot = i == 3 ? end : TextSlice.indexOf(text, '.', position, end);
            int value = dot < 0 || hasLeadingZero(text, position, dot) ? -1 : number(text, position, dot, 10, 3);
            if (value < 0 || value > 255) {
                return -1;
            }
            bits = bits << 8 | value;
            position = dot + 1;
        }
        return bits;
    }

    /** Some parsers take such a number for octal. */
    private static boolean hasLeadingZero(String text, int from, int to) {
        return to - from > 1 && text.charAt(from) == '0';
    }

    private boolean readGroups() {
        if (text.startsWith("::", position) && position + 2 <= end) {
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

    /** A group and the colons after it, or the IPv4 address at the end. */
    private boolean readGroup() {
        int groupEnd = TextSlice.indexOf(text, ':', position, end);
        boolean last = groupEnd < 0;
        if (last) {
            groupEnd = end;
            if (TextSlice.indexOf(text, '.', position, end) >= 0) {
                return readIpv4();
            }
        }
        int value = number(text, position, groupEnd, 16, 4);
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
        long bits = ipv4(text, position, end);
        if (bits < 0 || count > GROUPS - 2) {
            return false;
        }
        groups[count++] = (int) (bits >>> 16);
        groups[count++] = (int) (bits & 0xffff);
        position = end;
        return true;
    }

    private IpAddress address() {
        long[] halves = new long[2];
        for (int i = 0; i < GROUPS; i++) {
            halves[i / 4] = halves[i / 4] << 16 | group(i);
        }
        return new IpAddress(halves[0], halves[1]);
    }

    /** With the zeros that the gap stands for. */
    private int group(int index) {
        int omitted = GROUPS - count;
        if (gap < 0 || index < gap) {
            return groups[index];
        }
        return index < gap + omitted ? 0 : groups[index - omitted];
    }

    private static int number(String text, int from, int to, int radix, int maxDigits) {
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
}
