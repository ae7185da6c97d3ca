package dev.limiter.spring.key;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Encodes values that may be secrets (API keys, session ids) for keys. They are plain in memory, and hashed with a
 * secret elsewhere. Thread-safe.
 */
public final class SecretValues {

    /** 128 bits, so that collisions are practically impossible. */
    private static final int HASH_LENGTH = 16;

    static final String PREFIX = "hmac:";

    /** The length of the prefix and the hash in Base64. */
    static final int LENGTH = PREFIX.length() + 22;

    private final @Nullable Hmac hmac;
    private volatile boolean used;

    private SecretValues(@Nullable Hmac hmac) {
        this.hmac = hmac;
    }

    /** Returns an encoder that keeps values plain, for keys that stay in memory. */
    public static SecretValues asTheyAre() {
        return new SecretValues(null);
    }

    /**
     * Returns an encoder that hashes values with HMAC-SHA-256. Without {@code secret}, a value cannot be found by
     * trying.
     */
    public static SecretValues hashedWith(String secret) {
        return new SecretValues(new Hmac(secret.getBytes(StandardCharsets.UTF_8)));
    }

    /** Records that a key contains such values. */
    void use() {
        used = true;
    }

    /** Returns whether a key that was parsed so far contains such values. */
    public boolean areUsed() {
        return used;
    }

    /** Returns the text of a value. A plain value cannot look like a hash, because it starts with its length. */
    String encode(String text) {
        return hmac == null ? KeyAlternative.plain(text) : PREFIX + hash(hmac, text);
    }

    private static String hash(Hmac hmac, String text) {
        byte[] hash = Arrays.copyOf(hmac.of(TextDigest.bytes(text)), HASH_LENGTH);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    }
}
