package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one slot, as {@link RequestBatcher} says. Requests gather while as many calls are under way as the
 * line holds at a small distance; so no request waits for more than a short time, and calls that are never answered
 * keep none waiting. Thread-safe.
 */
final class SlotRequestBatcher {

    /**
     * So many calls may be under way on a short line before requests gather: the server always has another one to do.
     */
    private static final int LITTLE = 4;

    /** And so many on a long one, at a distance of a tenth of the time that requests gather. */
    private static final int MUCH = 1_000;

    private static final int DISTANCES = 10;

    /**
     * With so much {@linkplain Request#work work}, in states of a bucket, requests do not gather any longer: during a
     * script the server does nothing else.
     */
    static final int FULL = 64;

    private final Redis redis;
    private final long gatherNanos;
    private final StorageStatistics statistics;
    private final Queue<Request<?>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingWork = new AtomicInteger();

    private final Set<Sent> underWay = ConcurrentHashMap.newKeySet();

    /** The calls sent a short time ago. Each has a place, which is taken before it is sent. */
    private final Set<Sent> young = ConcurrentHashMap.newKeySet();

    private final AtomicInteger places = new AtomicInteger();

    private final RecentMinimum line = new RecentMinimum(System.nanoTime());

    private static final class Sent {

        private final List<Request<?>> requests;
        private final long at = System.nanoTime();

        Sent(List<Request<?>> requests) {
            this.requests = requests;
        }
    }

    /** {@code gatherNanos}: requests do not gather behind calls that take longer than the line by that. */
    SlotRequestBatcher(Redis redis, long gatherNanos, StorageStatistics statistics) {
        this.redis = redis;
        this.gatherNanos = gatherNanos;
        this.statistics = statistics;
    }

    void add(Request<?> request) {
        waiting.add(request);
        int work = waitingWork.addAndGet(request.work);
        if (work >= FULL) {
            places.incrementAndGet();
            send();
        }
        sendIfLittleIsUnderWay();
    }

    /** How many calls are on the line at once if one is sent each {@code distance} nanoseconds, within bounds. */
    private int callsOnLine(long distance, int least, int most) {
        return (int) Math.max(Math.min(line.nanos() / Math.max(distance, 1), most), least);
    }

    /** Called after a request was added, and after a call is over: so none is forgotten. */
    private void sendIfLittleIsUnderWay() {
        while (!waiting.isEmpty() && takePlace()) {
            send();
        }
    }

    private boolean takePlace() {
        while (true) {
            int taken = places.get();
            if (taken >= LITTLE && taken >= callsOnLine(gatherNanos / DISTANCES, LITTLE, MUCH)) {
                if (!outgrow()) {
                    return false;
                }
            } else if (places.compareAndSet(taken, taken + 1)) {
                return true;
            }
        }
    }

    /** Frees the places of calls that take long; whether there were any. */
    private boolean outgrow() {
        long now = System.nanoTime();
        long least = line.nanos();
        long late = least == RecentMinimum.UNKNOWN ? gatherNanos : least + gatherNanos;
        boolean any = false;
        for (Sent sent : young) {
            any |= now - sent.at > late && freePlace(sent);
        }
        return any;
    }

    private boolean freePlace(Sent sent) {
        boolean freed = young.remove(sent);
        if (freed) {
            places.decrementAndGet();
        }
        return freed;
    }

    /** Sends what waits. A place is taken for it, and free again if there is nothing. */
    private void send() {
        List<Request<?>> requests = new ArrayList<>();
        int work = 0;
        while (work < FULL) {
            Request<?> next = waiting.poll();
            if (next == null) {
                break;
            }
            waitingWork.addAndGet(-next.work);
            // its caller has gone
            if (!next.isDone()) {
                requests.add(next);
                work += next.work;
            }
        }
        if (requests.isEmpty()) {
            places.decrementAndGet();
        } else {
            send(requests);
        }
    }

    private void send(List<Request<?>> requests) {
        Sent sent = new Sent(requests);
        underWay.add(sent);
        young.add(sent);
        statistics.called(requests.size());
        List<List<Request<?>>> groups = groups(requests);
        Script script = script(groups);
        var unused = run(script, groups).whenComplete((reply, failure) -> {
            // a call that fails may never have been on the line
            if (failure == null) {
                long now = System.nanoTime();
                line.measured(now - sent.at, now);
            }
            over(sent);
            answer(requests, groups, script, reply, failure);
        });
    }

    /** Requests that share an answer are sent as one. */
    private static List<List<Request<?>>> groups(List<Request<?>> requests) {
        Map<Object, List<Request<?>>> groups = new LinkedHashMap<>();
        for (Request<?> request : requests) {
            Object shared = request.shared();
            groups.computeIfAbsent(shared == null ? request : shared, absent -> new ArrayList<>(1))
                    .add(request);
        }
        return List.copyOf(groups.values());
    }

    private void over(Sent sent) {
        underWay.remove(sent);
        freePlace(sent);
        sendIfLittleIsUnderWay();
    }

    /**
     * Gives up calls that were sent so long ago that no caller waits for them any more. Permits that they
     * take are given back.
     */
    void abandon(Duration timeout) {
        long now = System.nanoTime();
        for (Sent sent : underWay) {
            if (now - sent.at > timeout.toNanos()) {
                over(sent);
                sent.requests.forEach(request -> request.completeExceptionally(new StorageUnavailableException(
                        "Redis did not answer within " + timeout, null, StorageUnavailableException.Reason.TIMED_OUT)));
            }
        }
    }

    private static Script script(List<List<Request<?>>> groups) {
        int algorithms = 0;
        for (List<Request<?>> group : groups) {
            algorithms |= group.get(0).algorithms;
        }
        return Scripts.decide(algorithms);
    }

    private CompletionStage<byte[]> run(Script script, List<List<Request<?>>> groups) {
        List<byte[]> states = new ArrayList<>(groups.size());
        byte[][] arguments = new byte[groups.size()][];
        try {
            for (int i = 0; i < arguments.length; i++) {
                List<Request<?>> group = groups.get(i);
                Collections.addAll(states, group.get(0).states);
                arguments[i] = group.get(0).argument(group.size());
            }
            return redis.run(script, states.toArray(byte[][]::new), arguments);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(
            List<Request<?>> requests,
            List<List<Request<?>>> groups,
            Script script,
            byte @Nullable [] reply,
            @Nullable Throwable failure) {
        if (failure != null && requests.size() > 1 && RedisErrors.isOfGoingTogether(failure)) {
            for (Request<?> request : requests) {
                places.incrementAndGet();
                send(List.of(request));
            }
            return;
        }
        try {
            ByteBuffer answers = ByteBuffer.wrap(reply);
            for (List<Request<?>> group : groups) {
                answer(group, script, answers);
            }
        } catch (RuntimeException e) {
            failed(requests, failure == null ? e : failure);
        }
    }

    private static void failed(List<Request<?>> requests, Throwable reason) {
        requests.forEach(request -> request.completeExceptionally(reason));
    }

    private static void answer(List<Request<?>> group, Script script, ByteBuffer answers) {
        int length = answers.getInt();
        // not a view of all, which might be kept for long
        byte[] answer = new byte[Math.abs(length)];
        answers.get(answer);
        if (length >= 0) {
            for (int i = 0; i < group.size(); i++) {
                group.get(i).answer(ByteBuffer.wrap(answer), i);
            }
        } else {
            String error = new String(answer, StandardCharsets.UTF_8);
            failed(group, AclRights.explained(new RedisCommandExecutionException(error), script));
        }
    }
}
