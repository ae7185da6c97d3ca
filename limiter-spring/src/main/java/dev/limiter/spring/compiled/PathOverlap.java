package dev.limiter.spring.compiled;

import java.util.List;
import java.util.Locale;

/**
 * Whether a path may match two patterns. Segments are compared one by one until one of the patterns may match any number
 * of them. In a segment, {@code *} is any text, {@code ?} any character, and a variable any text, whatever its
 * expression: an answer of false is certain.
 */
final class PathOverlap {

    private PathOverlap() {}

    /** {@code slashCounts}: whether a path with a slash at its end differs from that without. */
    static boolean of(String pattern, String other, boolean caseSensitive, boolean slashCounts) {
        List<String> segments = segments(pattern, caseSensitive, slashCounts);
        List<String> others = segments(other, caseSensitive, slashCounts);
        int common = Math.min(segments.size(), others.size());
        for (int i = 0; i < common; i++) {
            if (isOpen(segments.get(i)) || isOpen(others.get(i))) {
                return true;
            }
            if (!mayBeSame(segments.get(i), others.get(i))) {
                return false;
            }
        }
        List<String> longer = segments.size() > common ? segments : others;
        return longer.size() == common || isOpen(longer.get(common));
    }

    private static List<String> segments(String pattern, boolean caseSensitive, boolean slashCounts) {
        String text = caseSensitive ? pattern : pattern.toLowerCase(Locale.ROOT);
        String path = text.startsWith("/") ? text.substring(1) : text;
        return path.isEmpty() ? List.of() : List.of(path.split("/", slashCounts ? -1 : 0));
    }

    /** Of all that is no empty segment, only {@code *} may be one, which it is at the end of a path. */
    private static boolean mayBeSame(String one, String other) {
        return one.isEmpty() || other.isEmpty()
                ? one.equals(other) || one.equals("*") || other.equals("*")
                : haveCommonText(wildcards(one), wildcards(other));
    }

    private static boolean isOpen(String segment) {
        return segment.equals("**") || segment.startsWith("{*");
    }

    /** The segment with a wildcard for its variables, and for what stands between them. */
    private static String wildcards(String segment) {
        int first = segment.indexOf('{');
        int last = segment.lastIndexOf('}');
        return first < 0 || last < first ? segment : segment.substring(0, first) + "*" + segment.substring(last + 1);
    }

    /** Asks that of each beginning of one text with each of the other. */
    private static boolean haveCommonText(String one, String other) {
        boolean[][] common = new boolean[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                boolean withoutLast = i > 0 && common[i - 1][j] || j > 0 && common[i][j - 1];
                common[i][j] = i == 0 && j == 0
                        || (endsWithWildcard(one, i) || endsWithWildcard(other, j)
                                ? withoutLast
                                : i > 0
                                        && j > 0
                                        && common[i - 1][j - 1]
                                        && fit(one.charAt(i - 1), other.charAt(j - 1)));
            }
        }
        return common[one.length()][other.length()];
    }

    private static boolean endsWithWildcard(String text, int end) {
        return end > 0 && text.charAt(end - 1) == '*';
    }

    private static boolean fit(char one, char other) {
        return one == other || one == '?' || other == '?';
    }
}
