package dev.limiter.spring.key;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Computes HMAC-SHA-256. Thread-safe. */
final class Hmac {

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac prototype;

    Hmac(byte[] secret) {
        try {
            prototype = Mac.getInstance(ALGORITHM);
            prototype.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every Java platform has " + ALGORITHM, impossible);
        }
    }

    byte[] of(byte[] message) {
        try {
            return ((Mac) prototype.clone()).doFinal(message);
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(
                    ALGORITHM + " of " + prototype.getProvider() + " cannot be copied", impossible);
        }
    }
}
