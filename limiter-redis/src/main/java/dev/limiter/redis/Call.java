package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.spi.ReturningFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The charges of a request with states in the same slot. Not thread-safe, but may be passed between threads. */
final class Call {

    /** The modes of {@code decide}. */
    private static final int TAKE = 0;

    private static final int PEEK = 1;
    private static final int TAKE_SOME = 2;

    private static final int MAX_CALENDAR_ATTEMPTS = 3;
    private static final byte[] NO_HOLD = {};

    private final RequestBatcher batcher;
    private final ServerTime time;
    private final PermitRenewals renewals;
    private final int slot;
    private final boolean peek;
    private final List<Charge> charges = new ArrayList<>(4);
    private final List<RemoteRule> rules = new ArrayList<>(4);
    private final List<byte[]> states = new ArrayList<>(4);
    private int algorithms;
    private boolean byCalendar;

    /** Whether the call charges no permits, because it peeks or would be rejected anyway. */
    private boolean dry = true;

    /** Called if there is no reply. */
    private Runnable lost = () -> {};

    Call(RequestBatcher batcher, ServerTime time, PermitRenewals renewals, int slot, boolean peek) {
        this.batcher = batcher;
        this.time = time;
        this.renewals = renewals;
        this.slot = slot;
        this.peek = peek;
    }

    int slot() {
        return slot;
    }

    Call add(Charge charge, RemoteRule rule, byte[][] keys) {
        charges.add(charge);
        rules.add(rule);
        for (byte[] key : keys) {
            states.add(key);
        }
        algorithms |= rule.algorithms;
        byCalendar |= rule.byCalendar;
        dry &= charge.permits() == 0;
        return this;
    }

    void withoutWaiting() {
        charges.replaceAll(charge -> charge.maxWait(Duration.ZERO));
    }

    /**
     * Takes all permits, or none.
     *
     * @param unwanted receives the result if the caller has cancelled or given up
     */
    <T> CompletableFuture<T> run(Returns returns, Function<List<RedisDecision>, T> then, Consumer<T> unwanted) {
        boolean taking = !peek && !dry && !isNever();
        byte[] hold = renewals.newName();
        if (taking) {
            lost = () -> release(returns, hold);
        }
        return execute(
                new Task(taking ? TAKE : PEEK, 0, 0, false, hold),
                reply -> then.apply(decisions(returns, reply, taking && reply.permitted())),
                unwanted);
    }

    /** Takes one permit for a charge of one permit. Requests with an equal charge may be sent as one. */
    CompletableFuture<Decision> share(Returns returns, BiConsumer<RedisDecision, Integer> then) {
        Charge charge = charges.get(0);
        RemoteRule rule = rules.get(0);
        return execute(
                new Task(TAKE_SOME, 1, 1, true, NO_HOLD),
                reply -> {
                    long after = reply.taken() - 1 - reply.position();
                    long[] numbers = reply.next(rule.limits.length);
                    RedisDecision decision =
                            new RedisDecision(returns, charge, rule, numbers, reply, after >= 0, Math.max(after, 0));
                    then.accept(decision, reply.position());
                    return decision;
                },
                Decision::giveBack);
    }

    /** Takes up to {@code needed} permits for a charge of one permit, and more if many are left. */
    <T> CompletableFuture<T> take(long needed, long most, Function<ScriptReply, T> then, Consumer<T> unwanted) {
        return execute(new Task(TAKE_SOME, needed, most, false, NO_HOLD), then, unwanted);
    }

    /**
     * The task of the script.
     *
     * @param needed in mode {@link #TAKE_SOME}, the permits to take as far as available
     * @param most in mode {@link #TAKE_SOME}, the permits to take if many are left
     * @param shared whether equal requests may be sent as one
     * @param hold the name under which permits of concurrency limits are held
     */
    private record Task(int mode, long needed, long most, boolean shared, byte[] hold) {}

    private boolean isNever() {
        for (int i = 0; i < charges.size(); i++) {
            RemoteLimit[] limits = rules.get(i).limits;
            for (int limit = 0; limit < limits.length; limit++) {
                if (limits[limit].isNever(charges.get(i), limit)) {
                    return true;
                }
            }
        }
        return false;
    }

    private <T> CompletableFuture<T> execute(Task task, Function<ScriptReply, T> then, Consumer<T> unwanted) {
        if (!byCalendar) {
            return send(task, then, unwanted);
        }
        CalendarRequest<T> request = new CalendarRequest<>(task, then, unwanted);
        request.begin();
        return request;
    }

    private <T> CompletableFuture<T> send(Task task, Function<ScriptReply, T> then, Consumer<T> unwanted) {
        long at = time.clock().epochNanos();
        Request.Sharing sharing = task.shared
                ? new Request.Sharing(
                        charges.get(0), requests -> argument(new Task(TAKE_SOME, requests, requests, true, NO_HOLD)))
                : null;
        Request<T> request = new Request<>(
                algorithms,
                states.toArray(byte[][]::new),
                argument(task),
                work(task.mode),
                sharing,
                (reply, position) -> then.apply(ScriptReply.of(reply, position, time, at, task.hold)),
                unwanted);
        request.whenLost(lost);
        return batcher.submit(slot, request);
    }

    private byte[] argument(Task task) {
        Arguments arguments = new Arguments(32 + 72 * states.size())
                .number(time.argument())
                .octet(task.mode)
                .number(task.needed)
                .number(states.size());
        long now = byCalendar ? time.serverMicros() : 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            long maxWait = RemoteLimit.micros(charge.maxWait());
            RemoteLimit[] limits = rules.get(i).limits;
            for (int position = 0; position < limits.length; position++) {
                RemoteLimit limit = limits[position];
                long permits = task.mode == TAKE_SOME ? task.most : possible(limit, charge, position);
                limit.appendRequest(arguments, position == 0, permits, limit.kept(charge), maxWait, task.hold, now);
            }
        }
        return arguments.toArray();
    }

    private int work(int mode) {
        int work = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            RemoteLimit[] limits = rules.get(i).limits;
            for (int position = 0; position < limits.length; position++) {
                RemoteLimit limit = limits[position];
                work += limit.work(mode == TAKE_SOME ? 1 : possible(limit, charge, position) + limit.kept(charge));
            }
        }
        return work;
    }

    /** Returns the permits to request: 0 if the limit can never grant them, which is decided here. */
    private static long possible(RemoteLimit limit, Charge charge, int position) {
        return limit.isNever(charge, position) ? 0 : charge.permits(position);
    }

    private void release(Returns returns, byte[] hold) {
        for (int i = 0; i < charges.size(); i++) {
            if (rules.get(i).holds()) {
                returns.releaseUnanswered(charges.get(i), rules.get(i), hold);
            }
        }
    }

    private List<RedisDecision> decisions(Returns returns, ScriptReply reply, boolean charged) {
        List<RedisDecision> decisions = new ArrayList<>(charges.size());
        int state = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            RemoteRule rule = rules.get(i);
            boolean took = charged && charge.permits() > 0;
            long[] numbers = reply.next(rule.limits.length);
            decisions.add(new RedisDecision(returns, charge, rule, numbers, reply, took, 0));
            for (int limit = 0; limit < rule.limits.length; limit++) {
                if (took && rule.isHeld(charge, limit)) {
                    renewals.hold(states.get(state), charge.permits(limit), reply.hold());
                }
                state++;
            }
        }
        return decisions;
    }

    /**
     * Repeats a request if the calendar boundaries in it do not cover the server's time. If this future fails or is
     * cancelled first, the last attempt is cancelled.
     */
    private final class CalendarRequest<T> extends ReturningFuture<T> {

        private final Task task;
        private final Function<ScriptReply, T> then;
        private final Consumer<ScriptReply> late;
        private volatile @Nullable CompletableFuture<ScriptReply> last;

        CalendarRequest(Task task, Function<ScriptReply, T> then, Consumer<T> unwanted) {
            super(unwanted);
            this.task = task;
            this.then = then;
            this.late = reply -> {
                if (reply.isOutside()) {
                    time.observe(reply.time());
                } else {
                    unwanted.accept(then.apply(reply));
                }
            };
        }

        void begin() {
            var unused = whenComplete((result, failure) -> {
                CompletableFuture<ScriptReply> request = last;
                if (failure != null && request != null) {
                    request.cancel(true);
                }
            });
            attempt(1);
        }

        private void attempt(int attempt) {
            CompletableFuture<ScriptReply> request = send(task, reply -> reply, late);
            last = request;
            // for a cancellation that did not see the new value of the field
            if (isDone()) {
                request.cancel(true);
            }
            var unused = request.whenComplete((reply, failure) -> {
                try {
                    replied(reply, failure, attempt);
                } catch (RuntimeException | Error e) {
                    completeExceptionally(e);
                }
            });
        }

        private void replied(ScriptReply reply, @Nullable Throwable failure, int attempt) {
            if (failure != null) {
                completeExceptionally(failure);
            } else if (!reply.isOutside()) {
                hand(then.apply(reply));
            } else if (attempt == MAX_CALENDAR_ATTEMPTS) {
                throw new StorageUnavailableException("The clock of the Redis server jumps", null);
            } else {
                time.observe(reply.time());
                if (!isDone()) {
                    attempt(attempt + 1);
                }
            }
        }
    }
}
