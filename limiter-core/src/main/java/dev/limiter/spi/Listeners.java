package dev.limiter.spi;

import java.lang.System.Logger.Level;

/** Calls to listeners: one that throws keeps no other from hearing, and no request from its decision. */
final class Listeners {

    private static final System.Logger LOGGER = System.getLogger(Listeners.class.getName());

    private Listeners() {}

    /** Makes a call; what the listener throws is logged. */
    static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.WARNING, "A listener threw an exception, which it must not", e);
        }
    }
}
