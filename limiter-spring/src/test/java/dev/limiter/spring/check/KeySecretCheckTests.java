package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.compiler;
import static dev.limiter.spring.compile.TestRules.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.key.SecretValues;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Secrets in Redis that are hashed only with the public default secret are reported. */
class KeySecretCheckTests {

    @ParameterizedTest
    @CsvSource({
        "header:X-Api-Key, , true",
        "header:X-Api-Key, a secret of our own, false",
        "session|ip, , true",
        "ip, , false"
    })
    void findsSecretValuesUnderTheDefaultSecret(String key, @Nullable String secret, boolean found) {
        SecretValues values = SecretValues.hashedWith(KeySecretCheck.KNOWN_SECRET);
        compiler(values).compile(keyed("test", key).build());

        assertThat(new KeySecretCheck(values, secret).findings())
                .map(Finding::code)
                .allMatch(MessageCode.KEY_SECRET::equals)
                .hasSize(found ? 1 : 0);
    }
}
