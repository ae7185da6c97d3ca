package dev.limiter.webflux;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.blockhound.BlockHound;

/**
 * The blocking calls of threads that must not block: event loops, and the threads of Reactor. BlockHound reports them
 * as long as the JVM runs, for threads that start after it is installed.
 */
final class BlockingCalls {

    private static final Set<String> FOUND = ConcurrentHashMap.newKeySet();

    private BlockingCalls() {}

    static void install() {
        BlockHound.install(builder -> builder.blockingMethodCallback(method ->
                        FOUND.add(Thread.currentThread().getName() + ": " + method + "\n"
                                + String.join(
                                        "\n",
                                        Arrays.toString(new Throwable().getStackTrace())
                                                .split(", "))))
                // Lettuce's lock around its count of writers, held for a few instructions
                .allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters"));
    }

    static void clear() {
        FOUND.clear();
    }

    /** Returns their stacks. */
    static Set<String> found() {
        return FOUND;
    }
}
