package dev.limiter.spring.rule;

import java.util.Locale;

/** Compares names of rules. As in property names, case, {@code -} and {@code _} do not matter. */
public final class RuleName {

    /** The name of the automatic limit. */
    public static final String DEFAULT = "default";

    private RuleName() {}

    /** Returns the same text for all spellings of a name. */
    public static String canonical(String name) {
        StringBuilder canonical = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '-' && c != '_') {
                canonical.append(c);
            }
        }
        return canonical.toString().toLowerCase(Locale.ROOT);
    }
}
