package dev.limiter.spring.failure;

import java.util.Locale;

/** Formats enum constants as in properties and messages, such as {@code token-bucket}. */
public final class EnumText {

    private EnumText() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
