package dev.limiter.spring.failure;

import org.jspecify.annotations.Nullable;

/**
 * A mistake in the configuration.
 *
 * @param code the kind of mistake
 * @param where the property, or the attribute and the annotated method
 * @param value the invalid value, enum constants as in properties; null if it is missing
 * @param reason what is wrong and what to write instead, as sentences
 */
public record Problem(
        MessageCode code, String where, @Nullable Object value, String reason) {

    public Problem {
        value = value instanceof Enum<?> constant ? EnumText.of(constant) : value;
    }

    @Override
    public String toString() {
        return (value == null ? where : where + " is \"" + value + "\"") + ": " + reason + " [" + code + "]";
    }
}
