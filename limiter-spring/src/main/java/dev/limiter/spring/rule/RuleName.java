package dev.limiter.spring.rule;

import java.util.Locale;

/** Names of rules are the same when they differ only in case, {@code -} and {@code _}, as property names are. */
public final class RuleName {

    /** The name of the automatic limit. */
    public static final String DEFAULT = "default";

    private RuleName() {}

    /** The spelling that all names of the same rule have in common. */
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
