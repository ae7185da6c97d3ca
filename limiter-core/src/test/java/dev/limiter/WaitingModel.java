package dev.limiter;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model of waiting requests, in exact fractions. */
abstract class WaitingModel {

    enum State {
        WAITING,
        LEFT,
        REJECTED,
        /** Has given up, and no other request can use its turn. */
        GONE
    }

    static final class Request {

        final long arrived;
        final long permits;
        final long deadline;
        State state = State.WAITING;

        /** When it leaves; null if unknown. */
        @Nullable
        Long turn;

        boolean released;

        Request(long arrived, long permits, long deadline) {
            this.arrived = arrived;
            this.permits = permits;
            this.deadline = deadline;
        }

        @Override
        public String toString() {
            return permits + " permits for one that came at " + (arrived - VirtualTime.START) + " ns";
        }
    }

    final List<Request> requests = new ArrayList<>();

    static WaitingModel of(Limit limit) {
        if (limit instanceof Limit.Concurrency) {
            return new Semaphore(limit.limit());
        }
        Turns.Rest rest = new Turns.Rest(limit);
        boolean paced = limit instanceof Limit.LeakyBucket || !rest.warmUp.equals(BigInteger.ZERO);
        return new Turns(limit, paced, rest);
    }

    abstract Request arrive(long now, long permits, long maxWait, int maxWaiting);

    abstract void giveUp(Request request, long now);

    boolean mayGiveUp(Request request) {
        return true;
    }

    abstract void release(Request request, long now);

    abstract void advance(long now);

    final long waiting() {
        return requests.stream()
                .filter(request -> request.state == State.WAITING)
                .count();
    }

    /** Permits in flight, and a queue. */
    private static final class Semaphore extends WaitingModel {

        private final long limit;

        Semaphore(long limit) {
            this.limit = limit;
        }

        private long free() {
            return limit
                    - requests.stream()
                            .filter(request -> request.state == State.LEFT && !request.released)
                            .mapToLong(request -> request.permits)
                            .sum();
        }

        @Override
        Request arrive(long now, long permits, long maxWait, int maxWaiting) {
            Request request = new Request(now, permits, now + maxWait);
            // the storage alone decides a request that does not wait
            boolean first = waiting() == 0 || maxWait == 0;
            if (first && permits <= free()) {
                request.state = State.LEFT;
            } else if (permits > limit || maxWait == 0 || waiting() >= maxWaiting) {
                request.state = State.REJECTED;
            }
            requests.add(request);
            return request;
        }

        @Override
        void giveUp(Request request, long now) {
            request.state = State.REJECTED;
            admit();
        }

        @Override
        void release(Request request, long now) {
            request.released = true;
            admit();
        }

        private void admit() {
            for (Request request : requests) {
                if (request.state == State.WAITING) {
                    if (request.permits > free()) {
                        return;
                    }
                    request.state = State.LEFT;
                }
            }
        }

        @Override
        void advance(long now) {
            for (Request request : requests) {
                if (request.state == State.WAITING && request.deadline <= now) {
                    request.state = State.REJECTED;
                    admit();
                }
            }
        }
    }

    /**
     * Requests that are permitted one after the other, when there are enough tokens. Times are multiplied by the limit,
     * divided by its greatest common divisor with the window, so that the interval of a permit is a whole number.
     */
    private static final class Turns extends WaitingModel {

        /** How long the bucket was idle, see {@code WarmUpBucket}; zero without a warm-up. */
        record Rest(BigInteger warmUp) {

            Rest(Limit limit) {
                this(warmUp(limit).multiply(fraction(limit.limit(), limit)));
            }

            private static BigInteger warmUp(Limit limit) {
                long nanos = limit instanceof Limit.TokenBucket token
                        ? token.warmUp().toNanos()
                        : ((Limit.LeakyBucket) limit).warmUp().toNanos();
                return BigInteger.valueOf(nanos);
            }
        }

        private final BigInteger limit;
        private final BigInteger interval;
        private final long burst;
        private final boolean paced;
        private final BigInteger warmUp;

        /** When the bucket is empty, and how long it was idle until then. */
        private BigInteger empty = BigInteger.ZERO;

        private BigInteger rest;

        /** The last permitted request, and the state before it; null if it has given up. */
        private @Nullable Request tail;

        private BigInteger emptyBefore = BigInteger.ZERO;
        private BigInteger restBefore = BigInteger.ZERO;

        Turns(Limit limit, boolean paced, Rest rest) {
            this.limit = fraction(limit.limit(), limit);
            this.interval = fraction(limit.window().toNanos(), limit);
            this.burst = limit.capacity();
            this.paced = paced;
            this.warmUp = rest.warmUp;
            this.rest = rest.warmUp;
        }

        /** Returns the unit to which times are rounded: the limit in lowest terms. */
        private static BigInteger fraction(long number, Limit limit) {
            BigInteger window = BigInteger.valueOf(limit.window().toNanos());
            return BigInteger.valueOf(number).divide(window.gcd(BigInteger.valueOf(limit.limit())));
        }

        @Override
        Request arrive(long now, long permits, long maxWait, int maxWaiting) {
            Request request = new Request(now, permits, now + maxWait);
            BigInteger arrived = scaled(now);
            BigInteger start = empty.max(arrived);
            BigInteger rested = rest.add(start.subtract(empty)).min(warmUp);
            BigInteger even = interval.multiply(BigInteger.valueOf(permits));
            BigInteger end = start.add(cost(rested, even));
            BigInteger scaledTurn = paced ? start : end.subtract(interval.multiply(BigInteger.valueOf(burst)));
            long turn = Math.max(nanos(scaledTurn.max(BigInteger.ZERO)), now);
            BigInteger ahead = start.subtract(arrived);
            boolean full = paced
                    && warmUp.signum() == 0
                    && ahead.add(interval.multiply(BigInteger.valueOf(permits - 1 - burst)))
                                    .signum()
                            > 0;
            if (permits > burst || turn > now && (turn - now > maxWait || waiting() >= maxWaiting || full)) {
                request.state = State.REJECTED;
            } else {
                request.state = turn <= now ? State.LEFT : State.WAITING;
                request.turn = turn;
                tail = request;
                emptyBefore = empty;
                restBefore = rest;
                empty = end;
                rest = rested.subtract(even).max(BigInteger.ZERO);
            }
            requests.add(request);
            return request;
        }

        private BigInteger scaled(long nanos) {
            return BigInteger.valueOf(nanos).multiply(limit);
        }

        private long nanos(BigInteger scaled) {
            BigInteger[] parts = scaled.divideAndRemainder(limit);
            return parts[0].longValueExact() + (parts[1].signum() > 0 ? 1 : 0);
        }

        /** Returns the area under the pace, which is 1 up to half of the warm-up, then rises linearly to 3. */
        private BigInteger cost(BigInteger rest, BigInteger even) {
            if (warmUp.signum() == 0) {
                return even;
            }
            BigInteger half = warmUp.shiftRight(1);
            BigInteger from = rest.subtract(half).max(BigInteger.ZERO);
            BigInteger to = rest.subtract(even).subtract(half).max(BigInteger.ZERO);
            BigInteger twiceSquares = from.pow(2).subtract(to.pow(2)).shiftLeft(1);
            BigInteger[] slow = twiceSquares.divideAndRemainder(warmUp);
            return even.add(slow[0]).add(slow[1].signum() > 0 ? BigInteger.ONE : BigInteger.ZERO);
        }

        /** Others can use the turn of the last request; the turn of any other stays unused. */
        @Override
        void giveUp(Request request, long now) {
            if (tail == request) {
                request.state = State.REJECTED;
                empty = emptyBefore;
                rest = restBefore;
                tail = null;
            } else {
                request.state = State.GONE;
            }
        }

        /** The model does not include what an earlier request returns while no request waits behind it. */
        @Override
        boolean mayGiveUp(Request request) {
            boolean behind = false;
            for (Request other : requests.subList(requests.indexOf(request) + 1, requests.size())) {
                behind |= other.state == State.WAITING;
            }
            return behind || tail == request;
        }

        @Override
        void release(Request request, long now) {}

        @Override
        void advance(long now) {
            for (Request request : requests) {
                if (request.state == State.WAITING && request.turn != null && request.turn <= now) {
                    request.state = State.LEFT;
                }
            }
        }
    }
}
