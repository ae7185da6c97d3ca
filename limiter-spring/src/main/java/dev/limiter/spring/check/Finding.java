package dev.limiter.spring.check;

import dev.limiter.spring.failure.MessageCode;

/**
 * A setting that is valid, but probably not intended.
 *
 * @param code the kind of finding
 * @param text one or two sentences: the property or method, its effect, and what to do
 */
public record Finding(MessageCode code, String text) {

    @Override
    public String toString() {
        return text + " [" + code + "]";
    }
}
