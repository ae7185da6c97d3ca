package dev.limiter.spring.web;

import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.Verdict;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The wait of a request for its verdict. A request that ends while it waits gives up its place, for its client is gone.
 * One that is answered on its way to the handler, such as by an interceptor, stays charged: the verdict may come later
 * than the response, so that does not settle it. Thread-safe.
 */
final class RequestWait {

    private enum State {
        COMING,
        WAITING,
        TAKEN,
        OVER
    }

    final ReturningFuture<Verdict> verdict;
    private final ApplicableRules rules;
    private final AtomicReference<State> state = new AtomicReference<>(State.COMING);

    RequestWait(ApplicableRules rules, ReturningFuture<Verdict> verdict) {
        this.rules = rules;
        this.verdict = verdict;
    }

    /** Whether there is still a verdict to come. */
    boolean isPending() {
        State now = state.get();
        return (now == State.COMING || now == State.WAITING) && !verdict.isDone();
    }

    /** Whether the request has gone on with its verdict. */
    boolean isTaken() {
        return state.get() == State.TAKEN;
    }

    /** The request waits from now on. Returns false if it is over. */
    boolean begin() {
        return state.compareAndSet(State.COMING, State.WAITING) || state.get() == State.WAITING;
    }

    /** The request is on its way to the handler once more. */
    void comeBack() {
        state.compareAndSet(State.WAITING, State.COMING);
    }

    /** Returns whether the caller is the one to go on with the verdict: no one is after the request is over. */
    boolean take() {
        return !verdict.isCancelled()
                && (state.compareAndSet(State.COMING, State.TAKEN) || state.compareAndSet(State.WAITING, State.TAKEN));
    }

    /** The request is over, unless the verdict was taken. */
    void end() {
        State before = state.getAndUpdate(now -> now == State.TAKEN ? State.TAKEN : State.OVER);
        if (before == State.COMING && rules.charging()) {
            var unused = verdict.thenAccept(Verdict::close);
        } else if (before == State.COMING || before == State.WAITING) {
            verdict.giveUp();
        }
    }
}
