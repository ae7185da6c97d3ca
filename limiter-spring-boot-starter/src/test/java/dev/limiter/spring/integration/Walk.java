package dev.limiter.spring.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of Limiter's methods by each thread, in order, while it is recorded. */
public final class Walk {

    private static final Map<Thread, List<String>> CALLS = new ConcurrentHashMap<>();
    private static volatile boolean recording;

    private Walk() {}

    /** Called by each instrumented method. */
    public static void enter(String type, String method) {
        if (recording) {
            CALLS.computeIfAbsent(Thread.currentThread(), thread -> new ArrayList<>())
                    .add(type + "." + method);
        }
    }

    static void begin() {
        CALLS.clear();
        recording = true;
    }

    /** The calls of the thread that made most. */
    static List<String> end() {
        recording = false;
        return CALLS.values().stream()
                .max((one, other) -> Integer.compare(one.size(), other.size()))
                .orElse(List.of());
    }
}
