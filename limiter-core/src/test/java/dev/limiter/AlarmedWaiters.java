package dev.limiter;

import java.util.List;

/** Waiters that are looked after by timers alone, in virtual time. For one thread. */
final class AlarmedWaiters {

    final VirtualTimer timer;
    final WaitingRoom waitingRoom;

    /** How often any was woken. */
    int woken;

    private final VirtualTime time;

    AlarmedWaiters(RateLimiterStorage storage, VirtualTime time) {
        this.time = time;
        this.timer = new VirtualTimer(time);
        this.waitingRoom = new WaitingRoom(storage, timer, AsyncExecutor.toCommonPool());
    }

    /** A waiter that is in a queue, or has its answer. */
    Waiter enter(List<Charge> charges) {
        Alarm alarm = new Alarm();
        Waiter waiter = new Waiter(charges, time.now(), () -> true, alarm);
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
