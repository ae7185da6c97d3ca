package dev.limiter;

import static java.util.Comparator.comparingLong;

import dev.limiter.waiting.WaitTimer;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Runs tasks in virtual time, when a test calls {@link #run}. Thread-safe. */
public final class VirtualTimer implements WaitTimer {

    private record Task(long at, Runnable runnable) {}

    private final VirtualTime time;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(comparingLong(Task::at));

    /** The number of tasks that were scheduled. */
    public int set;

    public VirtualTimer(VirtualTime time) {
        this.time = time;
    }

    @Override
    public synchronized Runnable after(long nanos, Runnable runnable) {
        set++;
        Task task = new Task(nanos > Long.MAX_VALUE - time.now() ? Long.MAX_VALUE : time.now() + nanos, runnable);
        tasks.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    /** Returns when the next task is due; {@link Long#MAX_VALUE} if there is none. */
    public synchronized long next() {
        return tasks.isEmpty() ? Long.MAX_VALUE : tasks.element().at;
    }

    public synchronized int size() {
        return tasks.size();
    }

    /** Runs all tasks that are due. */
    public void run() {
        for (Task task = due(); task != null; task = due()) {
            task.runnable.run();
        }
    }

    private synchronized @Nullable Task due() {
        return next() <= time.now() && !tasks.isEmpty() ? tasks.remove() : null;
    }
}
