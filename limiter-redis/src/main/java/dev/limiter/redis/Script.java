package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script: its text, and the digest that identifies it on a server.
 *
 * @param digest the SHA-1 of the text, in hexadecimal digits
 */
public record Script(String text, String digest) {

    /** Creates a script from its text. */
    public static Script of(String text) {
        try {
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new Script(text, HexFormat.of().formatHex(sha1));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
