package dev.limiter;

import dev.limiter.waiting.WaitTimer;
import java.util.ArrayList;
import java.util.List;

/** Runs tasks when a test says so. */
final class ManualTimer implements WaitTimer {

    private static final class Task {

        private final long nanos;
        private final Runnable task;

        Task(long nanos, Runnable task) {
            this.nanos = nanos;
            this.task = task;
        }
    }

    private final List<Task> tasks = new ArrayList<>();

    @Override
    public synchronized Runnable after(long nanos, Runnable task) {
        Task added = new Task(nanos, task);
        tasks.add(added);
        return () -> remove(added);
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    /** Runs the tasks that were scheduled with exactly this delay. */
    void ring(long nanos) {
        List<Task> due;
        synchronized (this) {
            due = tasks.stream().filter(task -> task.nanos == nanos).toList();
            tasks.removeAll(due);
        }
        due.forEach(task -> task.task.run());
    }

    synchronized int size() {
        return tasks.size();
    }
}
