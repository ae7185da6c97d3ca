package dev.limiter.spring.answer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;

/** Text of printable ASCII that grows, ready to be sent as it is. Not thread-safe. */
public final class AsciiText {

    private static final HexFormat HEX = HexFormat.of();

    /** The characters that are sent as they are, by their numbers. */
    private static final BitSet PLAIN = new BitSet();

    static {
        PLAIN.set(' ', '~' + 1);
        "\"\\<>&".chars().forEach(PLAIN::clear);
    }

    private byte[] bytes;
    private int length;

    AsciiText(int capacity) {
        bytes = new byte[capacity];
    }

    /** Text that is ASCII. */
    @SuppressWarnings("deprecation") // for what is not ASCII
    AsciiText append(String text) {
        if (bytes.length - length < text.length()) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + text.length()));
        }
        text.getBytes(0, text.length(), bytes, length);
        length += text.length();
        return this;
    }

    /**
     * Any text as part of a JSON string. Characters outside printable ASCII and characters with a meaning in HTML are
     * escaped: the string is the same in every encoding.
     */
    AsciiText appendEscaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!PLAIN.get(text.charAt(i))) {
                return append(escaped(text));
            }
        }
        return append(text); // as in nearly all answers
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(2 * text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (!PLAIN.get(c)) {
                escaped.append("\\u").append(HEX.toHexDigits(c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    public int length() {
        return length;
    }

    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
