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
 * Batches the requests to one slot; see {@link RequestBatcher}. Requests are sent at once until too many recent calls
 * are in progress; a higher latency allows more calls. Calls that take long do not count, so no request waits long, and
 * calls without a reply block none. Thread-safe.
 */
final class SlotRequestBatcher {

    /**
     * At a low latency, this many calls may be in progress before requests are batched, so that the server always has
     * another one.
     */
    private static final int MIN_CALLS = 4;

    /**
     * At a high latency, up to this many calls may be in progress, sent at intervals of a tenth of the batching time.
     */
    private static final int MAX_CALLS = 1_000;

    private static final int INTERVALS = 10;

    /** With this much {@linkplain Request#work work} waiting, a batch is sent: a script blocks the server. */
    static final int FULL = 64;

    private final Redis redis;
    private final long gatherNanos;
    private final StorageStatistics statistics;
    private final Queue<Request<?>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingWork = new AtomicInteger();

    private final Set<Sent> inProgress = ConcurrentHashMap.newKeySet();

    /** The recent calls. Each occupies a place, which is taken before the call is sent. */
    private final Set<Sent> recent = ConcurrentHashMap.newKeySet();

    private final AtomicInteger places = new AtomicInteger();

    private final RecentMinimum latency = new RecentMinimum(System.nanoTime());

    private static final class Sent {

        private final List<Request<?>> requests;
        private final long at = System.nanoTime();

        Sent(List<Request<?>> requests) {
            this.requests = requests;
        }
    }

    /**
     * Creates a batcher; requests are not batched behind calls that take {@code gatherNanos} longer than the latency.
     */
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
        sendIfFewInProgress();
    }

    /** Returns how many calls fit into the latency if one is sent every {@code interval} nanoseconds, within bounds. */
    private int callsWithinLatency(long interval, int least, int most) {
        return (int) Math.max(Math.min(latency.nanos() / Math.max(interval, 1), most), least);
    }

    /** Called after a request was added, and after a call has ended, so that no request is left behind. */
    private void sendIfFewInProgress() {
        while (!waiting.isEmpty() && takePlace()) {
            send();
        }
    }

    private boolean takePlace() {
        while (true) {
            int taken = places.get();
            if (taken >= MIN_CALLS && taken >= callsWithinLatency(gatherNanos / INTERVALS, MIN_CALLS, MAX_CALLS)) {
                if (!freeOldPlaces()) {
                    return false;
                }
            } else if (places.compareAndSet(taken, taken + 1)) {
                return true;
            }
        }
    }

    /** Frees the places of calls that take long; returns whether there were any. */
    private boolean freeOldPlaces() {
        long now = System.nanoTime();
        long least = latency.nanos();
        long late = least == RecentMinimum.UNKNOWN ? gatherNanos : least + gatherNanos;
        boolean any = false;
        for (Sent sent : recent) {
            any |= now - sent.at > late && freePlace(sent);
        }
        return any;
    }

    private boolean freePlace(Sent sent) {
        boolean freed = recent.remove(sent);
        if (freed) {
            places.decrementAndGet();
        }
        return freed;
    }

    /** Sends the waiting requests. Occupies a place, which is freed if there are none. */
    private void send() {
        List<Request<?>> requests = new ArrayList<>();
        int work = 0;
        while (work < FULL) {
            Request<?> next = waiting.poll();
            if (next == null) {
                break;
            }
            waitingWork.addAndGet(-next.work);
            // otherwise its caller has gone
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
        inProgress.add(sent);
        recent.add(sent);
        statistics.called(requests.size());
        List<List<Request<?>>> groups = groups(requests);
        Script script = script(groups);
        var unused = run(script, groups).whenComplete((reply, failure) -> {
            // a call that failed may not have reached the server
            if (failure == null) {
                long now = System.nanoTime();
                latency.measured(now - sent.at, now);
            }
            over(sent);
            reply(requests, groups, reply, failure);
        });
    }

    /** Groups the requests that are sent as one. */
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
        inProgress.remove(sent);
        freePlace(sent);
        sendIfFewInProgress();
    }

    /**
     * Gives up calls that were sent {@code timeout} ago, so that no caller waits for them. Permits that they take are
     * returned.
     */
    void abandon(Duration timeout) {
        long now = System.nanoTime();
        for (Sent sent : inProgress) {
            if (now - sent.at > timeout.toNanos()) {
                over(sent);
                sent.requests.forEach(request -> request.completeExceptionally(new StorageUnavailableException(
                        "Redis did not reply within " + timeout, null, StorageUnavailableException.Reason.TIMED_OUT)));
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

    private void reply(
            List<Request<?>> requests,
            List<List<Request<?>>> groups,
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
            ByteBuffer replies = ByteBuffer.wrap(reply);
            for (List<Request<?>> group : groups) {
                reply(group, replies);
            }
        } catch (RuntimeException e) {
            failed(requests, failure == null ? e : failure);
        }
    }

    private static void failed(List<Request<?>> requests, Throwable reason) {
        requests.forEach(request -> request.completeExceptionally(reason));
    }

    private static void reply(List<Request<?>> group, ByteBuffer replies) {
        int length = replies.getInt();
        // a copy, because a view would keep the whole reply in memory
        byte[] reply = new byte[Math.abs(length)];
        replies.get(reply);
        if (length >= 0) {
            for (int i = 0; i < group.size(); i++) {
                group.get(i).complete(ByteBuffer.wrap(reply), i);
            }
        } else {
            String error = new String(reply, StandardCharsets.UTF_8);
            failed(group, new RedisCommandExecutionException(error));
        }
    }
}
