package dev.limiter.spring.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A hash in the place of a client's key where people read it: the same for the same key, and no way back for a long secret. */
public final class KeyHash {

    private static final int BYTES = 8;

    private KeyHash() {}

    /** The first 64 bits of SHA-256, as 16 hexadecimal digits. */
    public static String of(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
