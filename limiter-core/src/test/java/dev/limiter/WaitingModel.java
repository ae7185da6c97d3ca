package dev.limiter;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model of the queues of waiters, worked out anew from all events, in fractions. */
abstract class WaitingModel {

    enum State {
        WAITING,
        LEFT,
        REFUSED,
        /** Has given up, and nobody else can use its place. */
        GONE
    }

    static final class Request {

        final long arrived;
        final long permits;
        final long deadline;
        State state = State.WAITING;

        /** When it leaves; null if nobody knows. */
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

    abstract void release(Request request, long now);

    abstract void advance(long now);

    final long waiting() {
        return requests.stream()
                .filter(request -> request.state == State.WAITING)
                .count();
    }

    /** In flight, and a queue. */
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
            boolean first = waiting() == 0;
            if (first && permits <= free()) {
                request.state = State.LEFT;
            } else if (permits > limit || maxWait == 0 || waiting() >= maxWaiting) {
                request.state = State.REFUSED;
            }
            requests.add(request);
            return request;
        }

        @Override
        void giveUp(Request request, long now) {
            request.state = State.REFUSED;
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
                    request.state = State.REFUSED;
                    admit();
                }
            }
        }
    }

    /**
     * Requests that leave when there are enough tokens, one after the other. Times are multiplied by the limit (less what
     * it has in common with the window), so that the interval of a permit is a whole number.
     */
    private static final class Turns extends WaitingModel {

        /** How long nobody came lately, see {@code WarmUpBucket}; nothing if there is no warm-up. */
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

        /** The last one who was let in, if nobody has given up the place at the end since. */
        private @Nullable Request tail;

        Turns(Limit limit, boolean paced, Rest rest) {
            this.limit = fraction(limit.limit(), limit);
            this.interval = fraction(limit.window().toNanos(), limit);
            this.burst = limit.capacity();
            this.paced = paced;
            this.warmUp = rest.warmUp;
        }

        /** In lowest terms: what is rounded is rounded to units of this. */
        private static BigInteger fraction(long number, Limit limit) {
            BigInteger window = BigInteger.valueOf(limit.window().toNanos());
            return BigInteger.valueOf(number).divide(window.gcd(BigInteger.valueOf(limit.limit())));
        }

        @Override
        Request arrive(long now, long permits, long maxWait, int maxWaiting) {
            Request request = new Request(now, permits, now + maxWait);
            long waiting = waiting();
            BigInteger empty = schedule();
            requests.add(request);
            schedule();
            long turn = request.turn == null ? now : request.turn;
            BigInteger ahead = empty.subtract(scaled(now)).max(BigInteger.ZERO);
            boolean full = paced
                    && warmUp.signum() == 0
                    && ahead.add(interval.multiply(BigInteger.valueOf(permits - 1 - burst)))
                                    .signum()
                            > 0;
            if (permits > burst || turn > now && (turn - now > maxWait || waiting >= maxWaiting || full)) {
                request.state = State.REFUSED;
            } else if (turn <= now) {
                request.state = State.LEFT;
            }
            tail = request.state == State.REFUSED ? tail : request;
            schedule();
            return request;
        }

        private BigInteger scaled(long nanos) {
            return BigInteger.valueOf(nanos).multiply(limit);
        }

        private long nanos(BigInteger scaled) {
            BigInteger[] parts = scaled.divideAndRemainder(limit);
            return parts[0].longValueExact() + (parts[1].signum() > 0 ? 1 : 0);
        }

        /** Gives all who wait their turns; returns when the bucket is empty. */
        private BigInteger schedule() {
            BigInteger empty = BigInteger.ZERO;
            BigInteger rest = warmUp;
            for (Request request : requests) {
                if (request.state == State.REFUSED) {
                    continue;
                }
                BigInteger arrived = scaled(request.arrived);
                BigInteger start = empty.max(arrived);
                rest = rest.add(start.subtract(empty)).min(warmUp);
                BigInteger even = interval.multiply(BigInteger.valueOf(request.permits));
                empty = start.add(cost(rest, even));
                rest = rest.subtract(even).max(BigInteger.ZERO);
                BigInteger turn = paced ? start : empty.subtract(interval.multiply(BigInteger.valueOf(burst)));
                request.turn = Math.max(nanos(turn.max(BigInteger.ZERO)), request.arrived);
            }
            return empty;
        }

        /** The area under the pace, which goes from 1 at half of the warm-up straight to 3 at all of it. */
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

        /** With a warm-up, the place of the last one can be used by others, if it is that of the last who came. */
        @Override
        void giveUp(Request request, long now) {
            boolean last = tail == request;
            if (warmUp.signum() > 0 && !last) {
                request.state = State.GONE;
            } else {
                request.state = State.REFUSED;
            }
            tail = last ? null : tail;
            schedule();
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
