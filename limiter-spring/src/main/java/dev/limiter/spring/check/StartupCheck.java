package dev.limiter.spring.check;

import java.util.List;

/** Looks for one sort of settings that work, but hardly as they were meant. */
@FunctionalInterface
public interface StartupCheck {

    /** One for each; empty if all is well. */
    List<Finding> findings();
}
