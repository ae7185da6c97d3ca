package dev.limiter;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of one wait: of its beginning and its end once each, and of no end without a beginning. Thread-safe.
 */
final class WaitNotifier {

    private static final WaitNotifier NOBODY = new WaitNotifier(List.of());

    private final List<WaitListener.Wait> waits;
    private boolean begun;
    private boolean ended;

    private WaitNotifier(List<WaitListener.Wait> waits) {
        this.waits = waits;
    }

    static WaitNotifier to(List<WaitListener> listeners, List<Charge> charges) {
        if (listeners.isEmpty()) {
            return NOBODY;
        }
        List<WaitListener.Wait> waits = new ArrayList<>(listeners.size());
        for (WaitListener listener : listeners) {
            Listeners.tell(() -> {
                WaitListener.Wait wait = listener.comes(charges);
                if (wait != null) {
                    waits.add(wait);
                }
            });
        }
        return waits.isEmpty() ? NOBODY : new WaitNotifier(waits);
    }

    /** The waiter waits, unless it is undecided yet. */
    void begin(Waiter waiter) {
        if (!waits.isEmpty() && waiter.due() != Waiter.UNDECIDED) {
            begin();
        }
    }

    private synchronized void begin() {
        if (!begun && !ended) {
            begun = true;
            waits.forEach(wait -> Listeners.tell(wait::begins));
        }
    }

    void end(@Nullable Decision decision) {
        if (!waits.isEmpty()) {
            endOnce(decision);
        }
    }

    private synchronized void endOnce(@Nullable Decision decision) {
        if (begun && !ended) {
            waits.forEach(wait -> Listeners.tell(() -> wait.ends(decision)));
        }
        ended = true;
    }
}
