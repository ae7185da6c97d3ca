package dev.limiter.spring.check;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.key.SecretValues;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds keys that are hashed with the default secret. It is public, so a reader of the keys can guess their values. */
public final class KeySecretCheck implements StartupCheck {

    /** The default secret, the same for all instances. */
    public static final String KNOWN_SECRET = "dev.limiter.known-to-everybody";

    private final SecretValues values;
    private final @Nullable String secret;

    /** {@code secret}: null if none is configured. */
    public KeySecretCheck(SecretValues values, @Nullable String secret) {
        this.values = values;
        this.secret = secret;
    }

    @Override
    public List<Finding> findings() {
        return secret != null || !values.areUsed()
                ? List.of()
                : List.of(new Finding(
                        MessageCode.KEY_SECRET,
                        "limiter.redis.key-secret is not set, so values of headers, cookies, sessions and the like"
                                + " are hashed with a public secret before they are stored in Redis. A reader"
                                + " of Redis can find values that are easy to guess. Set it to a random text of"
                                + " 16 characters or more, the same for all instances."));
    }
}
