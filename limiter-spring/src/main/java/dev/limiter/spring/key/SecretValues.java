package dev.limiter.spring.key;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * How values that may be secrets (API keys, session ids) are part of a key: as they are where keys stay in memory, else
 * as a keyed hash. Thread-safe.
 */
public final class SecretValues {

    private static final String ALGORITHM = "HmacSHA256";

    /** 128 bits: no two values of an application have the same. */
    private static final int HASH_LENGTH = 16;

    static final String PREFIX = "hmac:";

    /** The length of the prefix and the hash in Base64. */
    static final int LENGTH = PREFIX.length() + 22;

    private final @Nullable Mac prototype;
    private volatile boolean used;

    private SecretValues(@Nullable Mac prototype) {
        this.prototype = prototype;
    }

    /** For keys that do not leave this application. */
    public static SecretValues asTheyAre() {
        return new SecretValues(null);
    }

    /** Values as an HMAC of SHA-256: without {@code secret} a value cannot be found by trying. */
    public static SecretValues hashedWith(String secret) {
        try {
            return new SecretValues(mac(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM)));
        } catch (GeneralSecurityException exception) {
            throw new IllegalStateException("Every Java platform has " + ALGORITHM, exception);
        }
    }

    private static Mac mac(SecretKeySpec key) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(key);
        return mac;
    }

    /** Says that some key has such values. */
    void use() {
        used = true;
    }

    /** Whether any key that was parsed so far has such values. */
    public boolean areUsed() {
        return used;
    }

    /** The text of a value; no value without a hash looks like it, because those begin with a length. */
    String encode(String text) {
        return prototype == null ? KeyAlternative.plain("", text) : PREFIX + hash(prototype, text);
    }

    private static String hash(Mac prototype, String text) {
        // all 16 bits of each char: an encoding would make different broken surrogates the same
        ByteBuffer bytes = ByteBuffer.allocate(Character.BYTES * text.length());
        bytes.asCharBuffer().put(text);
        try {
            byte[] hash = ((Mac) prototype.clone()).doFinal(bytes.array());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, HASH_LENGTH));
        } catch (CloneNotSupportedException exception) {
            throw new IllegalStateException(
                    "The " + ALGORITHM + " of " + prototype.getProvider() + " cannot be copied", exception);
        }
    }
}
