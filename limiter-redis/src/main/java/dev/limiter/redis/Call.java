package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.redis.script.Arguments;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteLimit;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Request;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ScriptAnswer;
import dev.limiter.redis.script.ServerTime;
import dev.limiter.spi.ReturningFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
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

    /** Whether the call charges no permits: it only asks, or would be rejected anyway. */
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
                new Asked(taking ? TAKE : PEEK, 0, 0, false, hold),
                answer -> then.apply(decisions(returns, answer, taking && answer.permitted())),
                unwanted);
    }

    /** Takes one permit for a charge of one permit. Requests with an equal charge may be sent together, as one. */
    CompletableFuture<Decision> share(Returns returns, BiConsumer<RedisDecision, Integer> then) {
        Charge charge = charges.get(0);
        RemoteRule rule = rules.get(0);
        return ask(
                new Asked(TAKE_SOME, 1, 1, true, NO_HOLD),
                answer -> {
                    long after = answer.taken() - 1 - answer.position();
                    long[] numbers = answer.next(rule.limits.length);
                    RedisDecision decision =
                            new RedisDecision(returns, charge, rule, numbers, answer, after >= 0, Math.max(after, 0));
                    then.accept(decision, answer.position());
                    return decision;
                },
                Decision::giveBack);
    }

    /** Takes up to {@code needed} permits for one charge of one permit, and more if many are left. */
    <T> CompletableFuture<T> take(long needed, long most, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        return ask(new Asked(TAKE_SOME, needed, most, false, NO_HOLD), then, unwanted);
    }

    /**
     * What the script is asked for.
     *
     * @param needed the permits to take as far as there are any, in mode {@link #TAKE_SOME}
     * @param most the permits to take if many are left, in mode {@link #TAKE_SOME}
     * @param shared whether equal requests may be sent as one
     * @param hold the name under which permits of concurrency limits are held
     */
    private record Asked(int mode, long needed, long most, boolean shared, byte[] hold) {}

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

    private <T> CompletableFuture<T> ask(Asked asked, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        if (!byCalendar) {
            return send(asked, then, unwanted);
        }
        CalendarRequest<T> request = new CalendarRequest<>(asked, then, unwanted);
        request.begin();
        return request;
    }

    private <T> CompletableFuture<T> send(Asked asked, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
        long at = time.clock().epochNanos();
        Request.Sharing sharing = asked.shared
                ? new Request.Sharing(
                        charges.get(0), requests -> argument(new Asked(TAKE_SOME, requests, requests, true, NO_HOLD)))
                : null;
        Request<T> request = new Request<>(
                algorithms,
                states.toArray(byte[][]::new),
                argument(asked),
                work(asked.mode),
                sharing,
                (reply, position) -> then.apply(ScriptAnswer.of(reply, position, time, at, asked.hold)),
                unwanted);
        request.whenLost(lost);
        return batcher.ask(slot, request);
    }

    private byte[] argument(Asked asked) {
        Arguments arguments = new Arguments(32 + 72 * states.size())
                .number(time.toTell())
                .octet(asked.mode)
                .number(asked.needed)
                .number(states.size());
        long now = byCalendar ? time.there() : 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            long maxWait = RemoteLimit.micros(charge.maxWait());
            RemoteLimit[] limits = rules.get(i).limits;
            for (int position = 0; position < limits.length; position++) {
                RemoteLimit limit = limits[position];
                long permits = asked.mode == TAKE_SOME ? asked.most : possible(limit, charge, position);
                limit.ask(arguments, position == 0, permits, limit.kept(charge), maxWait, asked.hold, now);
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

    /** The permits to ask for: none if the limit can never grant them, which is decided here. */
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

        private final Asked asked;
        private final Function<ScriptAnswer, T> then;
        private final Consumer<ScriptAnswer> late;
        private volatile @Nullable CompletableFuture<ScriptAnswer> last;

        CalendarRequest(Asked asked, Function<ScriptAnswer, T> then, Consumer<T> unwanted) {
            super(unwanted);
            this.asked = asked;
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
            CompletableFuture<ScriptAnswer> request = send(asked, answer -> answer, late);
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
