package dev.limiter.spring.resolve;

import dev.limiter.spring.context.RequestView;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values that the resolver of a rule reads from requests, such as one header. Thread-safe. */
final class RequestReads {

    /** More values than a resolver should read. Beyond that, it runs only within requests. */
    private static final int MOST = 100;

    private final Map<String, Function<RequestView, ? extends @Nullable Object>> reads = new ConcurrentHashMap<>();
    private volatile boolean needsLiveRequest;

    void note(String what, Function<RequestView, ? extends @Nullable Object> read) {
        if (!reads.containsKey(what)) {
            if (reads.size() < MOST) {
                reads.put(what, read);
            } else {
                needLiveRequest();
            }
        }
    }

    Map<String, Function<RequestView, ? extends @Nullable Object>> all() {
        return reads;
    }

    /** Records that the resolver needs more than a copy of a request. */
    void needLiveRequest() {
        needsLiveRequest = true;
    }

    boolean needsLiveRequest() {
        return needsLiveRequest;
    }
}
