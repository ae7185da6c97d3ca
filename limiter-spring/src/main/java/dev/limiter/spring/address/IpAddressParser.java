package dev.limiter.spring.address;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses IPv4 and IPv6 addresses without resolving host names, which the JDK's own methods do not guarantee. */
final class IpAddressParser {

    private static final int GROUPS = 8;
    private static final String GAP = "::";

    /** The length of {@code 0000:0000:0000:0000:0000:ffff:255.255.255.255}. */
    private static final int LONGEST = 45;

    private IpAddressParser() {}

    /** Returns the address; null if the text is not an address. */
    static @Nullable IpAddress parse(String text) {
        if (text.indexOf(':') < 0) {
            long bits = ipv4(text);
            return bits < 0 ? null : IpAddress.ofIpv4(bits);
        }
        int zone = text.indexOf('%');
        List<Integer> groups = groups(zone < 0 ? text : text.substring(0, zone));
        if (groups == null) {
            return null;
        }
        long[] halves = new long[2];
        for (int i = 0; i < GROUPS; i++) {
            halves[i / 4] = halves[i / 4] << 16 | groups.get(i);
        }
        return new IpAddress(halves[0], halves[1]);
    }

    /** Returns all eight groups, including the zeros of a {@code ::}; null if there are not eight. */
    private static @Nullable List<Integer> groups(String text) {
        int gap = text.indexOf(GAP);
        if (text.length() > LONGEST || gap >= 0 && text.indexOf(GAP, gap + 1) >= 0) {
            return null;
        }
        List<Integer> groups = new ArrayList<>(GROUPS);
        if (gap < 0) {
            return add(text, groups) && groups.size() == GROUPS ? groups : null;
        }
        List<Integer> behind = new ArrayList<>(GROUPS);
        String before = text.substring(0, gap);
        String after = text.substring(gap + GAP.length());
        boolean valid = (before.isEmpty() || before.indexOf('.') < 0 && add(before, groups))
                && (after.isEmpty() || add(after, behind))
                && groups.size() + behind.size() < GROUPS;
        while (valid && groups.size() + behind.size() < GROUPS) {
            groups.add(0);
        }
        groups.addAll(behind);
        return valid ? groups : null;
    }

    /** Adds groups that are separated by colons. The last two may be an IPv4 address. */
    private static boolean add(String text, List<Integer> groups) {
        String[] parts = text.split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            if (i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
                long bits = ipv4(parts[i]);
                groups.add((int) (bits >>> 16));
                groups.add((int) (bits & 0xffff));
                return bits >= 0;
            }
            int group = number(parts[i], 16, 4);
            if (group < 0) {
                return false;
            }
            groups.add(group);
        }
        return true;
    }

    /**
     * Returns the 32 bits of an IPv4 address; -1 if it is invalid. Rejects leading zeros, which some parsers read as
     * octal.
     */
    private static long ipv4(String text) {
        String[] parts = text.length() > LONGEST ? new String[0] : text.split("\\.", -1);
        long bits = 0;
        for (String part : parts) {
            int value = part.length() > 1 && part.charAt(0) == '0' ? -1 : number(part, 10, 3);
            if (value < 0 || value > 255) {
                return -1;
            }
            bits = bits << 8 | value;
        }
        return parts.length == 4 ? bits : -1;
    }

    private static int number(String text, int radix, int maxDigits) {
        if (text.isEmpty() || text.length() > maxDigits) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
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
