package dev.limiter.spring.failure;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the configuration.
 *
 * @param code what sort of mistake it is
 * @param where the property, or the attribute and the annotated method
 * @param value what it is, constants as they are written in properties; null if it is missing
 * @param reason what is wrong with it and what would be right, as a sentence
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
