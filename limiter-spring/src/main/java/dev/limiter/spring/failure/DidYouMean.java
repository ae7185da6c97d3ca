package dev.limiter.spring.failure;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Suggests names for misspelled ones. */
public final class DidYouMean {

    /** The shortest prefix that is completed to a name. */
    private static final int MIN_BEGINNING = 3;

    private DidYouMean() {}

    /** Returns {@code " Did you mean id?"}, or an empty text if no name is similar. */
    public static String ask(String written, Collection<String> names) {
        return closest(written, names)
                .map(name -> " Did you mean " + name + "?")
                .orElse("");
    }

    /**
     * Returns the most similar name: at most a third of its characters differ, or the text is a prefix of it. Case,
     * {@code -} and {@code _} are ignored.
     */
    public static Optional<String> closest(String written, Collection<String> names) {
        String plain = plain(written);
        return names.stream()
                .filter(name -> isBegun(plain, plain(name))
                        || distance(plain, plain(name))
                                <= Math.max(1, plain(name).length() / 3))
                .min(Comparator.<String>comparingInt(name -> distance(plain, plain(name)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static boolean isBegun(String written, String name) {
        return written.length() >= MIN_BEGINNING && name.startsWith(written);
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }

    /** Returns the edit distance: added, removed and replaced characters, and swapped neighbours. */
    static int distance(String one, String other) {
        int[][] cost = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, one, other, i, j);
            }
        }
        return cost[one.length()][other.length()];
    }

    private static int cheapest(int[][] cost, String one, String other, int i, int j) {
        boolean same = one.charAt(i - 1) == other.charAt(j - 1);
        int best = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
    }
}
