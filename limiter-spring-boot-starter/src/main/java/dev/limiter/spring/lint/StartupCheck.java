package dev.limiter.spring.lint;

import java.util.List;

/** Looks for one sort of settings that work, but hardly as they were meant. */
@FunctionalInterface
public interface StartupCheck {

    /** A sentence or two for each: the property or method, what comes of it, and what to do. Empty if all is well. */
    List<String> findings();
}
