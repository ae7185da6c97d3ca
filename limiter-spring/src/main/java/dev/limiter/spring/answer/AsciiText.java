package dev.limiter.spring.answer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text of printable ASCII that grows, ready to be sent as it is. Not thread-safe. */
public final class AsciiText {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes;
    private int length;

    AsciiText(int capacity) {
        bytes = new byte[capacity];
    }

    /** Text that is ASCII. */
    AsciiText append(String text) {
        ensure(text.length());
        copy(text);
        return this;
    }

    /** A number of 0 or more. */
    AsciiText append(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        ensure(digits);
        long rest = number;
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /**
     * Any text as a JSON string. Whatever is not printable ASCII is escaped, and what HTML gives a meaning: the string is
     * the same in every encoding.
     */
    AsciiText appendString(String text) {
        ensure(text.length() + 2);
        bytes[length++] = '"';
        if (isPlain(text)) {
            copy(text);
        } else {
            escape(text);
        }
        bytes[length++] = '"';
        return this;
    }

    /** Whether no character of it has to be escaped, as in nearly all answers. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
                return false;
            }
        }
        return true;
    }

    /** There must be room for it. */
    @SuppressWarnings("deprecation") // for what is not ASCII
    private void copy(String text) {
        text.getBytes(0, text.length(), bytes, length);
        length += text.length();
    }

    private void escape(String text) {
        ensure(6 * text.length() + 1);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                bytes[length++] = '\\';
                bytes[length++] = (byte) c;
            } else if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&') {
                bytes[length++] = '\\';
                bytes[length++] = 'u';
                for (int shift = 12; shift >= 0; shift -= 4) {
                    bytes[length++] = HEX[c >> shift & 0xf];
                }
            } else {
                bytes[length++] = (byte) c;
            }
        }
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
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
