package dev.limiter.spi;

import java.lang.System.Logger.Level;

/** Calls listeners so that an exception in one affects neither other listeners nor the request. */
final class Listeners {

    private static final System.Logger LOGGER = System.getLogger(Listeners.class.getName());

    private Listeners() {}

    /** Calls a listener, and logs any exception. */
    static void call(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.WARNING, "Ignoring the exception of a listener, which must not throw any", e);
        }
    }
}
