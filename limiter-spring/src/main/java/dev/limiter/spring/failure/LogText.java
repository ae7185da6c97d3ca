package dev.limiter.spring.failure;

import org.jspecify.annotations.Nullable;

/** Escapes texts with values from clients for a log: no line breaks, no control characters, a bounded length. */
public final class LogText {

    private static final int MOST = 1_000;
    private static final int MOST_CAUSES = 10;

    private LogText() {}

    /** Returns the text with control characters and line separators as {@code \\u000a}, cut after 1,000 characters. */
    public static String escape(String text) {
        StringBuilder escaped = new StringBuilder(Math.min(text.length(), MOST) + 16);
        for (int i = 0; i < text.length() && i < MOST; i++) {
            char c = text.charAt(i);
            if (isUnsafe(c)) {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return text.length() > MOST ? escaped.append("...").toString() : escaped.toString();
    }

    private static boolean isUnsafe(char c) {
        int type = Character.getType(c);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    /** Returns a substitute for a failure that prints the same text, escaped. */
    public static Throwable escape(Throwable failure) {
        return new Escaped(failure, MOST_CAUSES);
    }

    private static final class Escaped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final String text;

        Escaped(Throwable original, int causes) {
            super(null, cause(original, causes), false, true);
            this.text = LogText.escape(original.toString());
            setStackTrace(original.getStackTrace());
        }

        private static @Nullable Throwable cause(Throwable original, int causes) {
            return original.getCause() == null || causes == 0 ? null : new Escaped(original.getCause(), causes - 1);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
