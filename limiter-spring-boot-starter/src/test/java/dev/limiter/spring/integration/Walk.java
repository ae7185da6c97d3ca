package dev.limiter.spring.integration;

import dev.limiter.testkit.Conditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of Limiter's methods by one thread, in order, each with how deep it is nested. */
public final class Walk {

    /**
     * A call with fewer below it reads a value (an accessor of an accessor at most) and enters nothing, wherever the value
     * is from.
     */
    private static final int FEWEST = 2;

    private static final String CONSTRUCTOR = "new";

    /** The call that changes a value, with as few below as one that reads it. */
    private static final String TAKE = "take";

    private static final Map<Thread, Walk> WALKS = new ConcurrentHashMap<>();
    private static volatile boolean recording;

    private final List<Call> calls = new ArrayList<>();
    private volatile int depth;

    /** {@code depth}: how many recorded calls it is within. */
    record Call(String type, String method, int depth) {

        /** Its package, below {@code dev.limiter.spring} or {@code dev.limiter} where it is in one of these. */
        String room() {
            String room = type.substring(0, type.lastIndexOf('.'));
            return room.replaceFirst("^dev\\.limiter\\.(spring\\.)?", "");
        }

        boolean isConstructor() {
            return method.equals(CONSTRUCTOR);
        }

        @Override
        public String toString() {
            return type.substring(type.lastIndexOf('.') + 1) + "." + method;
        }
    }

    private Walk() {}

    /** Called as an instrumented method begins. */
    public static void enter(String type, String method) {
        if (recording) {
            Walk walk = WALKS.computeIfAbsent(Thread.currentThread(), thread -> new Walk());
            walk.calls.add(new Call(type, method, walk.depth));
            walk.deeper(1);
        }
    }

    /** Called as it ends, however that is. */
    public static void leave() {
        Walk walk = recording ? WALKS.get(Thread.currentThread()) : null;
        if (walk != null) {
            walk.deeper(-1);
        }
    }

    /** Called by an instrumented constructor, which is never left. */
    public static void construct(String type) {
        if (recording) {
            Walk walk = WALKS.computeIfAbsent(Thread.currentThread(), thread -> new Walk());
            walk.calls.add(new Call(type, CONSTRUCTOR, walk.depth));
        }
    }

    /** Called by the one thread whose walk it is. */
    private void deeper(int by) {
        int before = depth;
        depth = before + by;
    }

    static void begin() {
        WALKS.clear();
        recording = true;
    }

    /** The walk of the thread that made most calls, once it is over: a client has its answer earlier. */
    static Walk end() {
        Conditions.await(() -> longest().depth == 0);
        recording = false;
        return longest();
    }

    private static Walk longest() {
        return WALKS.values().stream()
                .max((one, other) -> Integer.compare(one.calls.size(), other.calls.size()))
                .orElseGet(Walk::new);
    }

    List<Call> calls() {
        return calls;
    }

    /** The calls by which a package is entered from another, in order, indented by how many packages they are within. */
    List<String> entries() {
        List<String> entries = new ArrayList<>();
        List<String> rooms = new ArrayList<>(); // of the calls that the next one is within, outermost first
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            while (rooms.size() > call.depth()) {
                rooms.remove(rooms.size() - 1);
            }
            String from = rooms.isEmpty() ? "" : rooms.get(rooms.size() - 1);
            boolean reads = below(i) < FEWEST && !call.method().equals(TAKE);
            boolean entered = !call.room().equals(from) && !reads;
            if (entered) {
                entries.add(call.room() + " " + call);
            }
            rooms.add(entered || from.isEmpty() ? call.room() : from);
        }
        return entries;
    }

    private int below(int index) {
        int next = index + 1;
        while (next < calls.size() && calls.get(next).depth() > calls.get(index).depth()) {
            next++;
        }
        return next - index - 1;
    }
}
