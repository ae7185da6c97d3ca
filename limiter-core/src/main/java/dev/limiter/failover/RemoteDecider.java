package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageListener.Outcome;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has the remote storage decide within the time-out, after the grants made in memory have been charged there, and
 * reports the outcome. Fails with a {@link StorageUnavailableException}, or with an {@link IllegalArgumentException}
 * where the storage cannot count by a rule, which says nothing about the storage. Thread-safe.
 */
final class RemoteDecider {

    /** How often a grant is given back because the storage does not know yet what was granted in memory meanwhile. */
    private static final int MOST_ATTEMPTS = 3;

    private final RemoteStorage remote;
    private final OutageUse outageUse;
    private final StorageListener listener;
    private final TimeSource clock;

    RemoteDecider(RemoteStorage remote, OutageUse outageUse, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.clock = clock;
        this.outageUse = outageUse;
        this.listener = listener;
    }

    /** Blocks. {@code node}: that decides on all charges. */
    Decision decide(List<Charge> charges, NodeHealth node, Budget budget) {
        Question question = new Question(charges, node);
        Timeouts timeouts = node.timeouts();
        try {
            for (int i = 0; i < MOST_ATTEMPTS; i++) {
                CompletableFuture<?> settled = outageUse.settle(charges);
                timeouts.join(settled, budget);
                Decision known = remote.known(charges);
                Decision decision = known != null ? known : timeouts.join(question.ask(), budget);
                if (isCovered(charges, decision)) {
                    question.answered(decision, known == null);
                    return decision;
                }
                decision.giveBack();
            }
            throw unsettled();
        } catch (RuntimeException failure) {
            question.failed(failure);
            throw failure;
        }
    }

    /** The same without blocking. */
    CompletableFuture<Decision> decideLater(List<Charge> charges, NodeHealth node, Budget budget) {
        Question question = new Question(charges, node);
        AtomicBoolean asked = new AtomicBoolean();
        CompletableFuture<Decision> answer = attempt(question, asked, 1);
        return node.timeouts().within(answer, budget).whenComplete((decision, failure) -> {
            if (failure == null) {
                question.answered(decision, asked.get());
            } else {
                question.giveUp();
                question.failed(remote.errors().failure(failure));
            }
        });
    }

    /** Whether a state cannot be read that the failed call was about. */
    boolean isOfOneState(Throwable failure) {
        return remote.errors().failure(failure) instanceof StorageUnavailableException unavailable
                && unavailable.isOfOneState();
    }

    /** Whether the storage cannot count by a rule, so that deciding in another way would hide that. */
    boolean isOfRule(Throwable failure) {
        return remote.errors().failure(failure) instanceof IllegalArgumentException;
    }

    private CompletableFuture<Decision> attempt(Question question, AtomicBoolean asked, int attempt) {
        List<Charge> charges = question.charges;
        CompletableFuture<Decision> answer = outageUse.settle(charges).thenCompose(settled -> answer(question, asked));
        return answer.thenCompose(decision -> {
            if (isCovered(charges, decision)) {
                return CompletableFuture.completedFuture(decision);
            }
            decision.giveBack();
            return attempt == MOST_ATTEMPTS
                    ? CompletableFuture.failedFuture(unsettled())
                    : attempt(question, asked, attempt + 1);
        });
    }

    private CompletableFuture<Decision> answer(Question question, AtomicBoolean asked) {
        Decision known = remote.known(question.charges);
        asked.set(known == null);
        return known != null ? CompletableFuture.completedFuture(known) : question.ask();
    }

    private boolean isCovered(List<Charge> charges, Decision decision) {
        return !decision.permitted() || outageUse.isCovered(charges);
    }

    /** One decision of the remote storage with its retries; its outcome is reported once. */
    private final class Question {

        private final List<Charge> charges;
        private final NodeHealth node;
        private final long begun = clock.epochNanos();
        private final AtomicReference<@Nullable Consumer<Outcome>> told = new AtomicReference<>();
        private volatile boolean asked;
        private volatile boolean givenUp;
        private volatile @Nullable CompletableFuture<Decision> pending;

        Question(List<Charge> charges, NodeHealth node) {
            this.charges = charges;
            this.node = node;
        }

        CompletableFuture<Decision> ask() {
            if (givenUp) {
                return CompletableFuture.failedFuture(new CancellationException());
            }
            if (!asked) {
                asked = true;
                told.set(listener.asking(charges));
            }
            CompletableFuture<Decision> answer;
            try {
                answer = remote.ask(charges);
            } catch (RuntimeException failure) {
                return CompletableFuture.failedFuture(failure);
            }
            pending = answer;
            if (givenUp) {
                answer.cancel(true);
            }
            return answer;
        }

        /** No caller waits for the answer any more. */
        void giveUp() {
            givenUp = true;
            CompletableFuture<Decision> answer = pending;
            if (answer != null) {
                answer.cancel(true);
            }
        }

        /** {@code byStorage}: else it was known without asking, which says nothing about the storage. */
        void answered(Decision decision, boolean byStorage) {
            end(Outcome.OK);
            if (byStorage) {
                listener.asked(Outcome.OK, since(begun));
                node.succeeded(decision.permitted() && isCharged());
            }
        }

        private boolean isCharged() {
            for (int i = 0; i < charges.size(); i++) {
                if (charges.get(i).permits() > 0) {
                    return true;
                }
            }
            return false;
        }

        void failed(RuntimeException failure) {
            if (isOfRule(failure)) {
                end(Outcome.ERROR);
                return;
            }
            Reason reason =
                    failure instanceof StorageUnavailableException unavailable ? unavailable.reason() : Reason.FAILED;
            end(outcome(reason));
            listener.asked(outcome(reason), since(begun));
            if (reason == Reason.BROKEN_STATE) {
                listener.broken(failure.getMessage());
                return;
            }
            if (reason == Reason.LACKS_RIGHT) {
                listener.lacksRight(failure.getMessage());
            }
            node.failed(failure, begun);
        }

        private void end(Outcome outcome) {
            Consumer<Outcome> listening = told.getAndSet(null);
            if (listening != null) {
                listening.accept(outcome);
            }
        }
    }

    private static Outcome outcome(Reason reason) {
        return switch (reason) {
            case TIMED_OUT, STOOD_STILL -> Outcome.TIMEOUT;
            case FAILED, UNSETTLED, NOT_DONE, LACKS_RIGHT -> Outcome.ERROR;
            case BROKEN_STATE -> Outcome.BROKEN_STATE;
        };
    }

    private static StorageUnavailableException unsettled() {
        return new StorageUnavailableException(
                "The storage does not know yet of what was granted in memory just now", null, Reason.UNSETTLED);
    }

    private Duration since(long begun) {
        return Duration.ofNanos(clock.epochNanos() - begun);
    }
}
