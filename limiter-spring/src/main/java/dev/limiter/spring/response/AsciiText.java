package dev.limiter.spring.response;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Printable ASCII text, encoded for a response. Immutable. */
public final class AsciiText {

    private static final HexFormat HEX = HexFormat.of();

    /** The characters that need no escape, by code. */
    private static final boolean[] PLAIN = new boolean[128];

    static {
        Arrays.fill(PLAIN, ' ', '~' + 1, true);
        "\"\\<>&".chars().forEach(c -> PLAIN[c] = false);
    }

    private static final byte[] NOTHING = {};

    private final byte[] beginning;
    private final byte[] bytes;

    /** Joins ASCII texts. */
    AsciiText(String... parts) {
        this(NOTHING, parts);
    }

    /** Joins ASCII texts; {@code beginning}: a prefix that texts share and never modify. */
    @SuppressWarnings("deprecation") // correct for ASCII only
    AsciiText(byte[] beginning, String... parts) {
        this.beginning = beginning;
        int length = 0;
        for (String part : parts) {
            length += part.length();
        }
        bytes = new byte[length];
        int position = 0;
        for (String part : parts) {
            part.getBytes(0, part.length(), bytes, position);
            position += part.length();
        }
    }

    /**
     * Escapes text for a JSON string. Escapes all characters except printable ASCII without a meaning in HTML, so the
     * string is the same in every encoding.
     */
    static String escaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= PLAIN.length || !PLAIN[c]) {
                return rewritten(text);
            }
        }
        return text; // by far the most common case
    }

    private static String rewritten(String text) {
        StringBuilder escaped = new StringBuilder(2 * text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (c >= PLAIN.length || !PLAIN[c]) {
                escaped.append("\\u").append(HEX.toHexDigits(c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    public int length() {
        return beginning.length + bytes.length;
    }

    public void writeTo(OutputStream out) throws IOException {
        out.write(beginning);
        out.write(bytes);
    }

    @Override
    public String toString() {
        return new String(beginning, StandardCharsets.US_ASCII) + new String(bytes, StandardCharsets.US_ASCII);
    }
}
