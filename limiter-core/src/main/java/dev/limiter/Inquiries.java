package dev.limiter;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks a storage elsewhere again for those who wait for a release: for the first in each line, one question at a time. It
 * does so when something is released here, and every now and then, since nobody tells what is released elsewhere.
 * Thread-safe.
 */
final class Inquiries {

    static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** Between two questions about whichever lines, on average: with more than a hundred, each has its turn later. */
    private static final long APART_NANOS = EVERY_NANOS / 100;

    /** What is known of a line in which somebody waits. */
    private static final class Inquiry {

        private boolean underWay;

        /** Something was released while the question was under way. */
        private boolean again;

        private Runnable cancelNext = () -> {};
    }

    private record Question(Line line, Inquiry inquiry, Waiter waiter, List<Charge> charges) {}

    private final RemoteReception reception;
    private final WaitTimer timer;
    private final Map<Line, Inquiry> inquiries = new HashMap<>();

    Inquiries(RemoteReception reception, WaitTimer timer) {
        this.reception = reception;
        this.timer = timer;
    }

    /** Somebody waits in that line. With the lock held. */
    void expect(Line line) {
        if (!inquiries.containsKey(line)) {
            Inquiry inquiry = new Inquiry();
            inquiries.put(line, inquiry);
            askLater(line, inquiry);
        }
    }

    private void askLater(Line line, Inquiry inquiry) {
        inquiry.cancelNext = timer.after(Math.max(EVERY_NANOS, inquiries.size() * APART_NANOS), () -> ask(line));
    }

    /** Lets in whom the storage lets in. Without the lock. */
    void ask(Line line) {
        // a loop: many answers that are there at once must not pile up on the stack
        for (Question question = next(line); question != null; question = next(line)) {
            if (!question.waiter.isPresent()) {
                turnAway(question);
                continue;
            }
            CompletableFuture<Decision> answer =
                    reception.decide(question.charges).toCompletableFuture();
            boolean later = !answer.isDone();
            Question asked = question;
            CompletableFuture<Boolean> goesOn = answer.handle((decision, failure) -> {
                boolean next = answered(asked, decision, failure);
                if (later && next) {
                    ask(line);
                }
                return next;
            });
            if (later || !goesOn.join()) {
                return;
            }
        }
    }

    /** The next question about a line; null if there is none now. */
    private @Nullable Question next(Line line) {
        reception.lock.lock();
        try {
            Inquiry inquiry = inquiries.get(line);
            if (inquiry == null) {
                return null;
            }
            if (inquiry.underWay) {
                inquiry.again = true;
                return null;
            }
            inquiry.cancelNext.run();
            Waiter first = reception.closed ? null : reception.releases.first(line);
            if (first == null) {
                inquiries.remove(line);
                return null;
            }
            inquiry.underWay = true;
            inquiry.again = false;
            return new Question(line, inquiry, first, first.chargesLeft(reception.clock.epochNanos()));
        } finally {
            reception.lock.unlock();
        }
    }

    private void turnAway(Question question) {
        reception.lock.lock();
        try {
            question.inquiry.underWay = false;
            if (!question.waiter.isDone()) {
                reception.releases.remove(question.waiter);
                question.waiter.refuse();
            }
        } finally {
            reception.lock.unlock();
        }
    }

    /** Whether to ask for the next one, or once more, right away. */
    private boolean answered(Question question, @Nullable Decision decision, @Nullable Throwable failure) {
        boolean unwanted;
        boolean goesOn;
        reception.lock.lock();
        try {
            Inquiry inquiry = question.inquiry;
            inquiry.underWay = false;
            unwanted = question.waiter.isDone();
            // when it fails, the next one is not asked for in a hurry
            goesOn = unwanted || reception.settle(question.waiter, decision, failure) && failure == null;
            goesOn |= inquiry.again;
            if (!goesOn) {
                askLater(question.line, inquiry);
            }
        } finally {
            reception.lock.unlock();
        }
        if (unwanted && decision != null) {
            decision.giveBack();
        }
        return goesOn;
    }
}
