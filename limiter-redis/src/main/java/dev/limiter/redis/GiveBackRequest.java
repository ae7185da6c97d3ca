package dev.limiter.redis;

import dev.limiter.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * The permits of one charge to return, as arguments of {@code give_back}. Not thread-safe.
 *
 * <p>Contains either only those of concurrency limits, which are released, or only those of all other limits.
 */
final class GiveBackRequest {

    /** For permits taken at an unknown time: no reset can be later. */
    private static final long LATEST = 1L << 52;

    private final Arguments arguments;
    private final List<byte[]> states;
    private final long[] permits;
    private int algorithms;

    private GiveBackRequest(ServerTime time, long takenAt, int limits) {
        this.arguments = new Arguments(64).number(time.argument()).number(takenAt);
        this.states = new ArrayList<>(limits);
        this.permits = new long[limits];
    }

    /** Creates a request to return the permits of concurrency limits if {@code held}, otherwise of all other limits. */
    public static GiveBackRequest of(RedisDecision decision, boolean held, ServerTime time) {
        RemoteRule remote = decision.remote;
        byte[][] keys = remote.keys(decision.charge.key());
        GiveBackRequest returned = new GiveBackRequest(time, decision.takenAt(), keys.length);
        for (int i = 0; i < keys.length; i++) {
            RemoteLimit limit = remote.limits[i];
            long permits = decision.charge.permits(i);
            if (permits > 0 && limit.isHeld() == held) {
                limit.appendReturn(
                        returned.arguments, permits, decision.mark(i), decision.returnedBefore(i), decision.hold());
                returned.add(keys[i], limit, permits);
            }
        }
        return returned;
    }

    /** Creates a request to release permits that a call may hold although its reply was lost. */
    public static GiveBackRequest unanswered(Charge charge, RemoteRule remote, byte[] hold, ServerTime time) {
        byte[][] keys = remote.keys(charge.key());
        GiveBackRequest returned = new GiveBackRequest(time, LATEST, keys.length);
        for (int i = 0; i < keys.length; i++) {
            if (remote.isHeld(charge, i)) {
                remote.limits[i].appendReturn(returned.arguments, charge.permits(i), 0, 0, hold);
                returned.add(keys[i], remote.limits[i], charge.permits(i));
            }
        }
        return returned;
    }

    private void add(byte[] key, RemoteLimit limit, long returned) {
        permits[states.size()] = returned;
        states.add(key);
        algorithms |= limit.algorithm.bit();
    }

    public boolean isEmpty() {
        return states.isEmpty();
    }

    /** Returns the {@linkplain LuaAlgorithm#bit bits} of the algorithms that are needed. */
    public int algorithms() {
        return algorithms;
    }

    /** Calls {@code action} with each state and the number of permits to return to it. */
    public void forEach(ObjLongConsumer<byte[]> action) {
        for (int i = 0; i < states.size(); i++) {
            action.accept(states.get(i), permits[i]);
        }
    }

    public byte[][] states() {
        return states.toArray(byte[][]::new);
    }

    public byte[] argument() {
        return arguments.toArray();
    }
}
