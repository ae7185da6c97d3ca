package dev.limiter.spring.operate;

import java.util.concurrent.ThreadFactory;

/** Creates daemon threads with one name. Thread-safe. */
public record DaemonThreads(String name) implements ThreadFactory {

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
