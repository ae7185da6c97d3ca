package dev.limiter.webflux;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import reactor.blockhound.BlockHound;

/**
 * The blocking calls of threads that must not block: event loops, and the threads of Reactor. BlockHound reports them
 * as long as the JVM runs, for threads that start after it is installed.
 */
final class BlockingCalls {

    /** A lock within the JDK or Lettuce, held for a few instructions: of a timer's queue, of a count of writers. */
    private static final Pattern MUTEX = Pattern.compile("ReentrantLock\\.lock\\(.*\\)\n(?!dev\\.limiter)");

    private static final Set<String> FOUND = ConcurrentHashMap.newKeySet();

    private BlockingCalls() {}

    static void install() {
        BlockHound.install(builder -> builder.blockingMethodCallback(method -> {
            String stack = Arrays.stream(new Throwable().getStackTrace())
                    .map(StackTraceElement::toString)
                    .collect(Collectors.joining("\n"));
            if (!MUTEX.matcher(stack).find()) {
                FOUND.add(Thread.currentThread().getName() + ": " + method + "\n" + stack);
            }
        }));
    }

    static void clear() {
        FOUND.clear();
    }

    /** Returns their stacks. */
    static Set<String> found() {
        return FOUND;
    }
}
