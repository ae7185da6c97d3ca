package dev.limiter.spring.key;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Replaces texts that are too long for a key. */
final class TextDigest {

    static final String PREFIX = "sha256:";

    /** The length of the prefix and the digits. */
    static final int LENGTH = PREFIX.length() + 64;

    private TextDigest() {}

    /** Returns {@code sha256:} and 64 hexadecimal digits. */
    static String of(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes(text));
            return PREFIX + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** Returns all 16 bits of each char. UTF-8 would map different unpaired surrogates to the same bytes. */
    static byte[] bytes(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(Character.BYTES * text.length());
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }
}
