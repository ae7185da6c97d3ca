package dev.limiter;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Waiters that are looked after by timers alone, in virtual time. For one thread. */
final class AlarmedWaiters {

    final VirtualTimer timer;
    final WaitingRoom waitingRoom;

    /** How often any was woken. */
    int woken;

    private final VirtualTime time;

    AlarmedWaiters(RateLimiterStorage storage, VirtualTime time) {
        this(storage, time, new ReentrantLock());
    }

    AlarmedWaiters(RateLimiterStorage storage, VirtualTime time, ReentrantLock lock) {
        this.time = time;
        this.timer = new VirtualTimer(time);
        this.waitingRoom = new WaitingRoom(storage, timer, AsyncExecutor.toCommonPool(), lock);
    }

    /** A waiter that is in a queue, or has its answer. */
    Waiter enter(List<Charge> charges) {
        return enter(charges, () -> true);
    }

    Waiter enter(List<Charge> charges, BooleanSupplier present) {
        Alarm alarm = new Alarm();
        Waiter waiter = new Waiter(charges, time.now(), present, alarm);
        alarm.waiter = waiter;
        Decision answer = waitingRoom.enter(waiter);
        if (answer != null) {
            waiter.answer(answer);
        }
        alarm.set();
        return waiter;
    }

    private final class Alarm implements Runnable {

        private Waiter waiter = new Waiter(List.of(), 0, () -> true, () -> {});
        private Runnable cancel = () -> {};

        @Override
        public void run() {
            woken++;
            set();
        }

        private void set() {
            cancel.run();
            if (!waiter.isDone()) {
                cancel = timer.after(Math.max(waiter.due() - time.now(), 0), () -> waitingRoom.tend(waiter));
            }
        }
    }
}
