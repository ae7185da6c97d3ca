package dev.limiter.spring.response;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Text of printable ASCII, ready to be sent as it is. Immutable. */
public final class AsciiText {

    private static final HexFormat HEX = HexFormat.of();

    /** The characters that are sent as they are, by their numbers. */
    private static final boolean[] PLAIN = new boolean[128];

    static {
        Arrays.fill(PLAIN, ' ', '~' + 1, true);
        "\"\\<>&".chars().forEach(c -> PLAIN[c] = false);
    }

    private static final byte[] NOTHING = {};

    private final byte[] beginning;
    private final byte[] bytes;

    /** {@code parts}: text that is ASCII, one after the other. */
    AsciiText(String... parts) {
        this(NOTHING, parts);
    }

    /** {@code beginning}: in front of the parts, never changed, so that texts may share it. */
    @SuppressWarnings("deprecation") // for what is not ASCII
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
     * Any text as part of a JSON string. Characters outside printable ASCII and characters with a meaning in HTML are
     * escaped: the string is the same in every encoding.
     */
    static String escaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= PLAIN.length || !PLAIN[c]) {
                return rewritten(text);
            }
        }
        return text; // as in nearly all answers
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
