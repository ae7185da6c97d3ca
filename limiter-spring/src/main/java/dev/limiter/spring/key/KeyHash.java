package dev.limiter.spring.key;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Hashes client keys for display: the same key has the same hash. Without the secret, the key cannot be found by
 * trying. Thread-safe.
 */
public final class KeyHash {

    private static final int BYTES = 8;
    private static final int SECRET_BYTES = 32;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{" + 2 * BYTES + "}");

    private final Hmac hmac;

    private KeyHash(byte[] secret) {
        this.hmac = new Hmac(secret);
    }

    /** Returns a hash with this secret, the same in all instances; null for hashes of this process only. */
    public static KeyHash with(@Nullable String secret) {
        if (secret != null) {
            return new KeyHash(secret.getBytes(StandardCharsets.UTF_8));
        }
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        return new KeyHash(random);
    }

    /** Returns whether a text has the form of a hash. */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns the hash of a key: 64 bits, as 16 hexadecimal digits. */
    public String of(String key) {
        return HexFormat.of().formatHex(hmac.of(key.getBytes(StandardCharsets.UTF_8)), 0, BYTES);
    }
}
