package dev.limiter.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sends requests to Redis: at once while little is under way, and else together with those that come until something is
 * answered, in one call of a script. That is how TCP sends small segments (RFC 896): it costs nobody more than a part of a
 * round trip, and a call that is for many spares the server and the client most of what each of them costs. Requests are
 * decided one after the other, and fail each on its own.
 *
 * <p>Thread-safe; never blocks, and has no thread: who is answered sends what has come meanwhile.
 */
final class Batches {

    /** So many calls may be under way before requests gather: the server always has another one to do. */
    private static final int LITTLE = 4;

    /** With so many states requests do not gather any longer: during a script the server does nothing else. */
    static final int FULL = 64;

    private final Redis redis;
    private final ConcurrentHashMap<Integer, Lane> lanes = new ConcurrentHashMap<>();

    Batches(Redis redis) {
        this.redis = redis;
    }

    /** Sends a request soon, all of whose states are in that slot. */
    <T> CompletableFuture<T> ask(int slot, Request<T> request) {
        lanes.computeIfAbsent(slot, absent -> new Lane()).add(request);
        return request;
    }

    /** What is asked; complete with what is made of the answer. */
    static final class Request<T> extends CompletableFuture<T> {

        private final int algorithms;
        private final byte[][] states;
        private final byte[] argument;
        private final Function<ByteBuffer, T> made;
        private final Consumer<T> unwanted;

        /**
         * @param algorithms the {@linkplain LuaAlgorithm#bit bits} of those that it needs
         * @param states the keys of its limits
         * @param argument what the script is told of it
         * @param made what is made of the answer
         * @param unwanted told of that if nobody waits for it any more
         */
        Request(int algorithms, byte[][] states, byte[] argument, Function<ByteBuffer, T> made, Consumer<T> unwanted) {
            this.algorithms = algorithms;
            this.states = states;
            this.argument = argument;
            this.made = made;
            this.unwanted = unwanted;
        }

        private void answer(ByteBuffer answer) {
            try {
                T result = made.apply(answer);
                if (!complete(result)) {
                    unwanted.accept(result);
                }
            } catch (RuntimeException e) {
                completeExceptionally(e);
            }
        }
    }

    /** What goes to one slot. */
    private final class Lane {

        private final Queue<Request<?>> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger waitingStates = new AtomicInteger();
        private final AtomicInteger underWay = new AtomicInteger();

        void add(Request<?> request) {
            waiting.add(request);
            if (waitingStates.addAndGet(request.states.length) >= FULL) {
                underWay.incrementAndGet();
                send();
            }
            sendIfLittleIsUnderWay();
        }

        /** Called after a request was added, and after a call is over: so none is forgotten. */
        private void sendIfLittleIsUnderWay() {
            while (!waiting.isEmpty() && enter()) {
                send();
            }
        }

        private boolean enter() {
            int others;
            do {
                others = underWay.get();
                if (others >= LITTLE) {
                    return false;
                }
            } while (!underWay.compareAndSet(others, others + 1));
            return true;
        }

        /** A call that counts as under way already. */
        private void send() {
            List<Request<?>> requests = new ArrayList<>();
            int states = 0;
            while (states < FULL) {
                Request<?> next = waiting.poll();
                if (next == null) {
                    break;
                }
                waitingStates.addAndGet(-next.states.length);
                // who waited for it has gone
                if (!next.isDone()) {
                    requests.add(next);
                    states += next.states.length;
                }
            }
            if (requests.isEmpty()) {
                underWay.decrementAndGet();
                return;
            }
            var unused = run(requests).whenComplete((reply, failure) -> {
                underWay.decrementAndGet();
                sendIfLittleIsUnderWay();
                if (reply == null) {
                    requests.forEach(request -> request.completeExceptionally(failure));
                } else {
                    answer(requests, ByteBuffer.wrap(reply));
                }
            });
        }

        private CompletionStage<byte[]> run(List<Request<?>> requests) {
            try {
                Request<?> first = requests.get(0);
                if (requests.size() == 1 && first.states.length == 1) {
                    return redis.run(Scripts.decideOne(first.algorithms), first.states, first.argument);
                }
                int algorithms = 0;
                List<byte[]> states = new ArrayList<>();
                byte[][] arguments = new byte[requests.size()][];
                for (int i = 0; i < arguments.length; i++) {
                    Request<?> request = requests.get(i);
                    algorithms |= request.algorithms;
                    Collections.addAll(states, request.states);
                    arguments[i] = request.argument;
                }
                Script script = Scripts.decideSeveral(algorithms, states.size() == arguments.length);
                return redis.run(script, states.toArray(byte[][]::new), arguments);
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
    }

    private static void answer(List<Request<?>> requests, ByteBuffer reply) {
        try {
            for (Request<?> request : requests) {
                int length = reply.getInt();
                ByteBuffer answer = reply.slice(reply.position(), Math.abs(length));
                reply.position(reply.position() + Math.abs(length));
                if (length >= 0) {
                    request.answer(answer);
                } else {
                    String error = StandardCharsets.UTF_8.decode(answer).toString();
                    request.completeExceptionally(new RedisCommandExecutionException(error));
                }
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            requests.forEach(request -> request.completeExceptionally(e));
        }
    }
}
