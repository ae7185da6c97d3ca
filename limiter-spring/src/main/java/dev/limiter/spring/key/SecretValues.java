package dev.limiter.spring.key;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * How values that may be secrets (API keys, session ids) are part of a key: in clear where keys stay in memory, else as
 * a keyed hash. Thread-safe.
 */
public final class SecretValues {

    /** 128 bits: no two values of an application have the same. */
    private static final int HASH_LENGTH = 16;

    static final String PREFIX = "hmac:";

    /** The length of the prefix and the hash in Base64. */
    static final int LENGTH = PREFIX.length() + 22;

    private final @Nullable Hmac hmac;
    private volatile boolean used;

    private SecretValues(@Nullable Hmac hmac) {
        this.hmac = hmac;
    }

    /** For keys that do not leave this application. */
    public static SecretValues asTheyAre() {
        return new SecretValues(null);
    }

    /** Values as an HMAC of SHA-256: without {@code secret} a value cannot be found by trying. */
    public static SecretValues hashedWith(String secret) {
        return new SecretValues(new Hmac(secret.getBytes(StandardCharsets.UTF_8)));
    }

    /** Records that some key has such values. */
    void use() {
        used = true;
    }

    /** Returns whether any key that was parsed so far has such values. */
    public boolean areUsed() {
        return used;
    }

    /** The text of a value; no value in clear looks like a hash, because it begins with its length. */
    String encode(String text) {
        return hmac == null ? KeyAlternative.plain(text) : PREFIX + hash(hmac, text);
    }

    private static String hash(Hmac hmac, String text) {
        byte[] hash = Arrays.copyOf(hmac.of(TextDigest.bytes(text)), HASH_LENGTH);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    }
}
