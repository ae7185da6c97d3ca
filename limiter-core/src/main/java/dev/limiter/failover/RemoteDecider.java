package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.ReturningFuture;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageListener.Outcome;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Has the remote storage decide within the time-out, after the grants made in memory have been charged there, and
 * reports the outcome. Fails with a {@link StorageUnavailableException}, or with an {@link IllegalArgumentException}
 * where the storage cannot count by a rule, which says nothing about the storage. Thread-safe.
 */
final class RemoteDecider {

    /** How often a grant is given back because the storage does not know yet what was granted in memory meanwhile. */
    private static final int MOST_ATTEMPTS = 3;

    /** So many budgets after memory has granted a charge, a late answer to it is not awaited any longer. */
    private static final int LATEST = 100;

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

    /** Whether a state cannot be read that the failed call was about. */
    boolean isOfOneState(Throwable failure) {
        return remote.errors().failure(failure) instanceof StorageUnavailableException unavailable
                && unavailable.isOfOneState();
    }

    /** Whether the storage cannot count by a rule, so that deciding in another way would hide that. */
    boolean isOfRule(Throwable failure) {
        return remote.errors().failure(failure) instanceof IllegalArgumentException;
    }

    /** One decision of the remote storage with its retries; its outcome is reported once. It is asked for once. */
    final class Question {

        private final List<Charge> charges;
        private final NodeHealth node;
        private final long begun = clock.epochNanos();
        private final AtomicReference<@Nullable Consumer<Outcome>> told = new AtomicReference<>();
        private volatile boolean asked;

        /** No caller waits for it any more. */
        private volatile boolean givenUp;

        private volatile @Nullable CompletableFuture<Decision> pending;

        /** The answer that was not there in time; null if that is none. */
        private volatile @Nullable CompletableFuture<Decision> late;

        /** {@code node}: that decides on all charges. */
        Question(List<Charge> charges, NodeHealth node) {
            this.charges = charges;
            this.node = node;
        }

        /** Blocks. */
        Decision decide(Budget budget) {
            Timeouts timeouts = node.timeouts();
            try {
                for (int i = 0; i < MOST_ATTEMPTS; i++) {
                    timeouts.join(outageUse.settle(charges), budget);
                    List<Charge> asking = outageUse.isCovered(charges) ? charges : atOnce();
                    Decision known = remote.known(asking);
                    Decision decision = known != null ? known : awaited(ask(asking), timeouts, budget);
                    if (isCovered(decision)) {
                        answered(decision, known == null);
                        return decision;
                    }
                    decision.giveBack();
                }
                throw unsettled();
            } catch (RuntimeException failure) {
                failed(failure);
                throw failure;
            }
        }

        private Decision awaited(CompletableFuture<Decision> answer, Timeouts timeouts, Budget budget) {
            try {
                // the copy is cancelled in the place of the answer
                return timeouts.join(answer.copy(), budget);
            } catch (RuntimeException failure) {
                late = answer;
                throw failure;
            }
        }

        /** {@link #decide} without blocking. */
        CompletableFuture<Decision> decideLater(Budget budget) {
            AtomicBoolean byStorage = new AtomicBoolean();
            CompletableFuture<Decision> answer = Timeouts.orGiveBack(attempt(byStorage, 1));
            return node.timeouts().limited(answer.copy(), budget).whenComplete((decision, failure) -> {
                if (failure == null) {
                    answered(decision, byStorage.get());
                } else {
                    givenUp = true;
                    late = answer;
                    failed(remote.errors().failure(failure));
                }
            });
        }

        private CompletableFuture<Decision> attempt(AtomicBoolean byStorage, int attempt) {
            return outageUse
                    .settle(charges)
                    .thenCompose(settled -> answer(byStorage))
                    .thenCompose(decision -> {
                        if (givenUp || isCovered(decision)) {
                            return CompletableFuture.completedFuture(decision);
                        }
                        decision.giveBack();
                        return attempt == MOST_ATTEMPTS
                                ? CompletableFuture.failedFuture(unsettled())
                                : attempt(byStorage, attempt + 1);
                    });
        }

        private CompletableFuture<Decision> answer(AtomicBoolean byStorage) {
            List<Charge> asking = outageUse.isCovered(charges) ? charges : atOnce();
            Decision known = remote.known(asking);
            byStorage.set(known == null);
            return known != null ? CompletableFuture.completedFuture(known) : ask(asking);
        }

        /**
         * The charges without a wait, while there is no room for what was granted in memory: a turn would be given
         * back, and later ones do not always move up then, so that the debt would find no room either.
         */
        private List<Charge> atOnce() {
            return charges.stream().map(charge -> charge.within(Duration.ZERO)).toList();
        }

        private boolean isCovered(Decision decision) {
            return !decision.permitted() || outageUse.isCovered(charges);
        }

        /** Charges of a decision that has failed, with the answer that may still come. Called once. */
        List<Unanswered> unanswered() {
            CompletableFuture<Decision> missing = late;
            if (missing == null) {
                return Unanswered.notAsked(charges);
            }
            var unused = missing.whenComplete((answer, failure) -> {
                if (failure != null) {
                    cancel();
                }
            });
            return Unanswered.of(charges, missing, remote.timeout().multipliedBy(LATEST));
        }

        private CompletableFuture<Decision> ask(List<Charge> asking) {
            if (givenUp) {
                return CompletableFuture.failedFuture(new CancellationException());
            }
            if (!asked) {
                asked = true;
                told.set(listener.asking(charges));
            }
            CompletableFuture<Decision> answer;
            try {
                answer = remote.ask(asking);
            } catch (RuntimeException failure) {
                return CompletableFuture.failedFuture(failure);
            }
            pending = answer;
            return answer;
        }

        private void cancel() {
            CompletableFuture<Decision> answer = pending;
            if (answer != null) {
                answer.cancel(true);
            }
        }

        /** {@code byStorage}: else it was known without asking, which says nothing about the storage. */
        private void answered(Decision decision, boolean byStorage) {
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

        private void failed(RuntimeException failure) {
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

    /**
     * A charge that the shared storage has not decided on in time, if it was asked at all. Its late grant pays for what
     * memory has granted instead, and is given back where that is nothing. Thread-safe.
     */
    static final class Unanswered {

        final Charge charge;
        private final @Nullable ReturningFuture<Decision> late;
        private final Duration patience;

        private Unanswered(Charge charge, @Nullable ReturningFuture<Decision> late, Duration patience) {
            this.charge = charge;
            this.late = late;
            this.patience = patience;
        }

        /** Charges that the shared storage was not asked for. */
        static List<Unanswered> notAsked(List<Charge> charges) {
            return charges.stream().map(Unanswered::notAsked).toList();
        }

        static Unanswered notAsked(Charge charge) {
            return new Unanswered(charge, null, Duration.ZERO);
        }

        /**
         * @param answer to all of these together; cancelled when one of them is {@linkplain #giveUp given up}
         * @param patience how long the answer is awaited once memory has granted
         */
        static List<Unanswered> of(List<Charge> charges, CompletableFuture<Decision> answer, Duration patience) {
            return IntStream.range(0, charges.size())
                    .mapToObj(i -> new Unanswered(
                            charges.get(i),
                            new ReturningFuture<>(Decision::giveBack).handedBy(answer, decision -> part(decision, i)),
                            patience))
                    .toList();
        }

        /** The answer to one charge; the refusal of all, whose parts tell what each charge would be answered alone. */
        private static Decision part(Decision answer, int position) {
            return answer.permitted() ? answer.parts().get(position) : answer;
        }

        /** The same, as another charge of its rule and key: one that waits, or does not. */
        Unanswered as(Charge charge) {
            return new Unanswered(charge, late, patience);
        }

        /** Has a late grant given back; nothing more the second time. */
        void giveUp() {
            if (late != null) {
                late.giveUp();
            }
        }

        /** Has a late grant pay for what memory has granted. Called once. */
        void granted(OutageGrant instead) {
            if (late == null) {
                instead.owe();
            } else {
                var unused = late.orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
                        .whenComplete((grant, failure) -> {
                            if (failure == null && grant.permitted()) {
                                instead.pay(grant);
                            } else {
                                instead.owe();
                            }
                        });
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
