package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.WaitListener;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports one wait to listeners: at most one beginning and one end, and no end without a beginning. Thread-safe. */
final class WaitNotifier {

    private static final System.Logger LOGGER = System.getLogger(WaitNotifier.class.getName());

    private List<WaitListener.Wait> waits = List.of();
    private boolean waiting;
    private boolean begun;
    private boolean ended;

    /** Asks each listener whether it follows this wait. */
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

    /** Calls a listener. Exceptions affect neither other listeners nor the request. */
    private static void call(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.WARNING, "Ignoring the exception of a listener, which must not throw any", e);
        }
    }
}
