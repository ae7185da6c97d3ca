package dev.limiter.spring.check;

import dev.limiter.spring.failure.MessageCode;

/**
 * Settings that work, but hardly as they were meant.
 *
 * @param code what sort of finding it is
 * @param text a sentence or two: the property or method, what comes of it, and what to do
 */
public record Finding(MessageCode code, String text) {

    @Override
    public String toString() {
        return text + " [" + code + "]";
    }
}
