package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.WaitListener;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports one wait to listeners: its beginning and its end once each, and no end without a beginning. Thread-safe.
 */
final class WaitNotifier {

    private static final System.Logger LOGGER = System.getLogger(WaitNotifier.class.getName());

    private List<WaitListener.Wait> waits = List.of();
    private boolean waiting;
    private boolean begun;
    private boolean ended;

    /** Asks the listeners who of them wants to follow this wait. */
    void listen(List<WaitListener> listeners, List<Charge> charges) {
        if (listeners.isEmpty()) {
            return;
        }
        List<WaitListener.Wait> interested = new ArrayList<>(listeners.size());
        for (WaitListener listener : listeners) {
            call(() -> {
                WaitListener.Wait wait = listener.comes(charges);
                if (wait != null) {
                    interested.add(wait);
                }
            });
        }
        follow(interested);
    }

    private synchronized void follow(List<WaitListener.Wait> interested) {
        waits = interested;
        if (waiting) {
            begin();
        }
    }

    synchronized void begin() {
        waiting = true;
        if (!waits.isEmpty() && !begun && !ended) {
            begun = true;
            waits.forEach(wait -> call(wait::begins));
        }
    }

    synchronized void end(@Nullable Decision decision) {
        if (begun && !ended) {
            waits.forEach(wait -> call(() -> wait.ends(decision)));
        }
        ended = true;
    }

    /** A listener that throws keeps no other from its call, and no request from its decision. */
    private static void call(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.WARNING, "A listener threw an exception, which it must not", e);
        }
    }
}
