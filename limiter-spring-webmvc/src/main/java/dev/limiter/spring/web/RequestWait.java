package dev.limiter.spring.web;

import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.Verdict;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The wait of a request for its verdict. A request that ends during its wait leaves the queue, because its client has
 * disconnected. If an interceptor writes the response instead of the handler, the request stays charged, because its
 * verdict may come later than the response. Thread-safe.
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

    /** Returns whether the verdict is pending. */
    boolean isPending() {
        State now = state.get();
        return (now == State.COMING || now == State.WAITING) && !verdict.isDone();
    }

    /** Returns whether the request has proceeded with its verdict. */
    boolean isTaken() {
        return state.get() == State.TAKEN;
    }

    /** Starts the wait. Returns false if the request is over. */
    boolean begin() {
        return state.compareAndSet(State.COMING, State.WAITING) || state.get() == State.WAITING;
    }

    /** Records that the request is dispatched again. */
    void comeBack() {
        state.compareAndSet(State.WAITING, State.COMING);
    }

    /** Claims the verdict. Returns false if it was claimed, or if the request is over. */
    boolean take() {
        return !verdict.isCancelled()
                && (state.compareAndSet(State.COMING, State.TAKEN) || state.compareAndSet(State.WAITING, State.TAKEN));
    }

    /** Ends the wait, unless the verdict was claimed. */
    void end() {
        State before = state.getAndUpdate(now -> now == State.TAKEN ? State.TAKEN : State.OVER);
        if (before == State.COMING && rules.charging()) {
            var unused = verdict.thenAccept(Verdict::close);
        } else if (before == State.COMING || before == State.WAITING) {
            verdict.giveUp();
        }
    }
}
