package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.ReturningFuture;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.redis.script.Arguments;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteLimit;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Request;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ScriptAnswer;
import dev.limiter.redis.script.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The charges of a request whose states are in one slot. Used by one thread after the other. */
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

    /** Whether the call charges no permits: it only asks, or would be refused anyway. */
    private boolean dry = true;

    /** Called if there is no answer. */
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
        charges.replaceAll(charge -> charge.within(Duration.ZERO));
    }

    /**
     * Takes all permits, or none.
     *
     * @param unwanted told what was made of the answer if that is cancelled, or given up, by then
     */
    <T> CompletableFuture<T> run(Returns returns, Function<List<RedisDecision>, T> then, Consumer<T> unwanted) {
        boolean taking = !peek && !dry && !isNever();
        byte[] hold = renewals.newName();
        if (taking) {
            lost = () -> release(returns, hold);
        }
        return ask(
                taking ? TAKE : PEEK,
                0,
                0,
                hold,
                answer -> then.apply(decisions(returns, answer, taking && answer.permitted())),
                unwanted);
    }

    /** Takes up to {@code needed} permits for one charge of one permit, and more if many are left. */
    <T> CompletableFuture<T> take(long needed, long most, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        return ask(TAKE_SOME, needed, most, NO_HOLD, then, unwanted);
    }

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

    private <T> CompletableFuture<T> ask(
            int mode, long needed, long most, byte[] hold, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        if (!byCalendar) {
            return send(mode, needed, most, hold, then, unwanted);
        }
        CalendarRequest<T> request = new CalendarRequest<>(mode, needed, most, hold, then, unwanted);
        request.begin();
        return request;
    }

    private <T> CompletableFuture<T> send(
            int mode, long needed, long most, byte[] hold, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        Arguments arguments = new Arguments(32 + 72 * states.size())
                .number(time.toTell())
                .octet(mode)
                .number(needed)
                .number(states.size());
        long now = byCalendar ? time.there() : 0;
        long asked = time.clock().epochNanos();
        int work = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            long maxWait = RemoteLimit.micros(charge.maxWait());
            RemoteLimit[] limits = rules.get(i).limits;
            for (int position = 0; position < limits.length; position++) {
                RemoteLimit limit = limits[position];
                long permits = mode == TAKE_SOME ? most : charge.permits(position);
                long possible = limit.isNever(charge, position) ? 0 : permits;
                limit.ask(arguments, position == 0, possible, limit.kept(charge), maxWait, hold, now);
                work += limit.work(mode == TAKE_SOME ? 1 : possible + limit.kept(charge));
            }
        }
        Request<T> request = new Request<>(
                algorithms,
                states.toArray(byte[][]::new),
                arguments.toArray(),
                work,
                reply -> then.apply(ScriptAnswer.of(reply, time, asked, hold)),
                unwanted);
        request.whenLost(lost);
        return batcher.ask(slot, request);
    }

    private void release(Returns returns, byte[] hold) {
        for (int i = 0; i < charges.size(); i++) {
            if (rules.get(i).holds()) {
                returns.releaseUnanswered(charges.get(i), rules.get(i), hold);
            }
        }
    }

    private List<RedisDecision> decisions(Returns returns, ScriptAnswer answer, boolean charged) {
        List<RedisDecision> decisions = new ArrayList<>(charges.size());
        int state = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            RemoteRule rule = rules.get(i);
            boolean took = charged && charge.permits() > 0;
            long[] numbers = answer.next(rule.limits.length);
            decisions.add(new RedisDecision(returns, charge, rule, numbers, answer, took, 0));
            for (int limit = 0; limit < rule.limits.length; limit++) {
                if (took && rule.isHeld(charge, limit)) {
                    renewals.hold(states.get(state), charge.permits(limit), answer.hold());
                }
                state++;
            }
        }
        return decisions;
    }

    /**
     * Asks again when the calendar that was sent along does not reach the server's time. Where this fails or is
     * cancelled first, the request of the last attempt is cancelled.
     */
    private final class CalendarRequest<T> extends ReturningFuture<T> {

        private final int mode;
        private final long needed;
        private final long most;
        private final byte[] hold;
        private final Function<ScriptAnswer, T> then;
        private final Consumer<ScriptAnswer> late;
        private volatile @Nullable CompletableFuture<ScriptAnswer> last;

        CalendarRequest(
                int mode, long needed, long most, byte[] hold, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
            super(unwanted);
            this.mode = mode;
            this.needed = needed;
            this.most = most;
            this.hold = hold;
            this.then = then;
            this.late = answer -> {
                if (answer.isOutside()) {
                    time.learn(answer.time());
                } else {
                    unwanted.accept(then.apply(answer));
                }
            };
        }

        void begin() {
            var unused = whenComplete((result, failure) -> {
                CompletableFuture<ScriptAnswer> request = last;
                if (failure != null && request != null) {
                    request.cancel(true);
                }
            });
            attempt(1);
        }

        private void attempt(int attempt) {
            CompletableFuture<ScriptAnswer> request = send(mode, needed, most, hold, answer -> answer, late);
            last = request;
            // a cancellation that has not read the field has come by now
            if (isDone()) {
                request.cancel(true);
            }
            var unused = request.whenComplete((answer, failure) -> {
                try {
                    answered(answer, failure, attempt);
                } catch (RuntimeException | Error e) {
                    completeExceptionally(e);
                }
            });
        }

        private void answered(ScriptAnswer answer, @Nullable Throwable failure, int attempt) {
            if (failure != null) {
                completeExceptionally(failure);
            } else if (!answer.isOutside()) {
                hand(then.apply(answer));
            } else if (attempt == MAX_CALENDAR_ATTEMPTS) {
                throw new StorageUnavailableException("The clock of the server jumps", null);
            } else {
                time.learn(answer.time());
                if (!isDone()) {
                    attempt(attempt + 1);
                }
            }
        }
    }
}
