package dev.limiter;

import static java.util.Comparator.comparingLong;

import dev.limiter.waiting.WaitTimer;
import java.util.PriorityQueue;

/** Calls back in virtual time, when a test says that some of it has passed. For one thread. */
public final class VirtualTimer implements WaitTimer {

    private record Task(long at, Runnable runnable) {}

    private final VirtualTime time;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(comparingLong(Task::at));

    /** How often it was set. */
    public int set;

    public VirtualTimer(VirtualTime time) {
        this.time = time;
    }

    @Override
    public Runnable after(long nanos, Runnable runnable) {
        set++;
        Task task = new Task(nanos > Long.MAX_VALUE - time.now() ? Long.MAX_VALUE : time.now() + nanos, runnable);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if there is none. */
    public long next() {
        return tasks.isEmpty() ? Long.MAX_VALUE : tasks.element().at;
    }

    public int size() {
        return tasks.size();
    }

    /** Runs all whose time has come. */
    public void run() {
        while (!tasks.isEmpty() && tasks.element().at <= time.now()) {
            tasks.remove().runnable.run();
        }
    }
}
