package dev.limiter.spring.check;

import java.util.List;

/** A check on startup that finds settings of one kind that are valid, but probably not intended. */
@FunctionalInterface
public interface StartupCheck {

    /** Returns a finding for each such setting. */
    List<Finding> findings();
}
