package dev.limiter.spring.check;

import java.util.List;

/** One check at startup: finds settings of one kind that are valid, but hardly work as intended. */
@FunctionalInterface
public interface StartupCheck {

    /** One finding for each such setting; empty if there is none. */
    List<Finding> findings();
}
