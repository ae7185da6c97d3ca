package dev.limiter.spring.decide;

import dev.limiter.spi.ReturningFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * Decides once for each subscription. Emits the verdict, or gives it back if the subscriber cancels before: while the
 * request waits for its turn, but also before the subscriber requests anything. Never blocks.
 */
public final class ReactiveVerdict extends Mono<Verdict> {

    private final Supplier<ReturningFuture<Verdict>> decision;
    private final Executor executor;

    /** {@code executor}: takes over from the thread of a storage or a timer, if the decision was not made at once. */
    public ReactiveVerdict(Supplier<ReturningFuture<Verdict>> decision, Executor executor) {
        this.decision = decision;
        this.executor = executor;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Verdict> subscriber) {
        ReturningFuture<Verdict> pending;
        try {
            pending = decision.get();
        } catch (Throwable failure) {
            Operators.error(subscriber, Operators.onOperatorError(failure, subscriber.currentContext()));
            return;
        }
        subscriber.onSubscribe(new Pending(subscriber, pending, executor));
    }

    private static final class Pending implements Subscription {

        private final CoreSubscriber<? super Verdict> subscriber;
        private final ReturningFuture<Verdict> decision;
        private final Executor executor;
        private final AtomicBoolean requested = new AtomicBoolean();
        /** The verdict is emitted or given back, by the first that sets this. */
        private final AtomicBoolean over = new AtomicBoolean();

        Pending(CoreSubscriber<? super Verdict> subscriber, ReturningFuture<Verdict> decision, Executor executor) {
            this.subscriber = subscriber;
            this.decision = decision;
            this.executor = executor;
        }

        @Override
        public void request(long n) {
            if (requested.compareAndSet(false, true)) {
                var unused = decision.whenComplete(decision.isDone() ? this::emit : this::emitElsewhere);
            }
        }

        private void emitElsewhere(@Nullable Verdict verdict, @Nullable Throwable failure) {
            if (over.get()) {
                return;
            }
            try {
                executor.execute(() -> emit(verdict, failure));
            } catch (RejectedExecutionException stopped) {
                cancel();
            }
        }

        private void emit(@Nullable Verdict verdict, @Nullable Throwable failure) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            if (verdict != null) {
                subscriber.onNext(verdict);
                subscriber.onComplete();
            } else if (failure != null) {
                subscriber.onError(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        }

        @Override
        public void cancel() {
            if (over.compareAndSet(false, true)) {
                decision.giveUp();
            }
        }
    }
}
