package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Callers who want one permit of the same key share a call: while one is under way they gather, and the next one takes
 * the permits of all. With a lease a call takes more than that, for those who come later. Thread-safe; never
 * blocks.
 */
final class SharedCalls {

    /** Asks Redis. */
    interface Taker {

        /**
         * Takes one permit for each of those who are there, as far as there are any, and some ahead.
         *
         * @param callers how many are there
         * @param ahead how many more permits to take at most
         */
        CompletableFuture<Block> take(Charge charge, int callers, long ahead);
    }

    private final Taker taker;
    private final ConcurrentHashMap<Charge, Gathering> gatherings = new ConcurrentHashMap<>();

    SharedCalls(Taker taker) {
        this.taker = taker;
    }

    /** {@code ahead}: how many permits to take ahead at most. */
    CompletableFuture<Decision> decide(Charge charge, long ahead) {
        while (true) {
            Gathering gathering = gatherings.computeIfAbsent(charge, absent -> new Gathering(absent, ahead));
            CompletableFuture<Decision> answer = gathering.enter();
            if (answer != null) {
                return answer;
            }
        }
    }

    /** Gives back what was taken ahead too long ago. */
    void cleanUp() {
        gatherings.values().forEach(gathering -> gathering.cleanUp(false));
    }

    /** Gives back all that was taken ahead. */
    void close() {
        gatherings.values().forEach(gathering -> gathering.cleanUp(true));
    }

    /** The callers of one key. It is over when nobody is there and nothing is kept. */
    private final class Gathering {

        /** After less was left than was wanted, for so long nothing is taken ahead. */
        private static final long PAUSE_NANOS = 1_000_000;

        private final Charge charge;
        private final long ahead;

        private final Deque<Block> blocks = new ArrayDeque<>(2);
        private List<CompletableFuture<Decision>> waiting = new ArrayList<>(4);
        private boolean underWay;
        private boolean over;
        private long pausedAt = System.nanoTime() - PAUSE_NANOS;

        Gathering(Charge charge, long ahead) {
            this.charge = charge;
            this.ahead = ahead;
        }

        /** The answer, now or later; null if this gathering is over. */
        @Nullable
        CompletableFuture<Decision> enter() {
            CompletableFuture<Decision> answer;
            synchronized (this) {
                if (over) {
                    return null;
                }
                Decision kept = taken();
                if (kept == null) {
                    answer = new CompletableFuture<>();
                    waiting.add(answer);
                } else {
                    answer = CompletableFuture.completedFuture(kept);
                }
                if (underWay || kept != null && !runsLow()) {
                    return answer;
                }
                underWay = true;
            }
            call();
            return answer;
        }

        /** One that was taken ahead. */
        private @Nullable Decision taken() {
            for (Block block : blocks) {
                Decision kept = block.take();
                if (kept != null) {
                    return kept;
                }
            }
            return null;
        }

        private boolean runsLow() {
            long kept = 0;
            for (Block block : blocks) {
                kept += block.kept();
            }
            return kept <= ahead / 2 && System.nanoTime() - pausedAt >= PAUSE_NANOS;
        }

        private void call() {
            List<CompletableFuture<Decision>> callers;
            synchronized (this) {
                callers = waiting;
                waiting = new ArrayList<>(4);
            }
            var unused = taker.take(charge, callers.size(), ahead).whenComplete((block, failure) -> {
                List<Runnable> handed = new ArrayList<>(callers.size());
                for (CompletableFuture<Decision> caller : callers) {
                    if (block == null) {
                        handed.add(() -> caller.completeExceptionally(failure));
                    } else {
                        Decision decision = block.next();
                        handed.add(() -> hand(decision, caller));
                    }
                }
                boolean again = answered(block, handed);
                // last: what a caller does next, such as giving back, is not overtaken by what follows here
                handed.forEach(Runnable::run);
                if (again) {
                    call();
                }
            });
        }

        /** Who no longer waits for it does not get it. */
        private static void hand(Decision decision, CompletableFuture<Decision> caller) {
            if (!caller.complete(decision)) {
                decision.giveBack();
            }
        }

        /** Keeps what was taken ahead, and has those who came meanwhile handed some of it; whether some are left. */
        private synchronized boolean answered(@Nullable Block block, List<Runnable> handed) {
            if (block == null || block.kept() < ahead) {
                pausedAt = System.nanoTime();
            }
            if (block != null && block.kept() > 0) {
                blocks.add(block);
            }
            int served = 0;
            for (CompletableFuture<Decision> caller : waiting) {
                Decision kept = taken();
                if (kept == null) {
                    break;
                }
                served++;
                handed.add(() -> hand(kept, caller));
            }
            waiting.subList(0, served).clear();
            underWay = !waiting.isEmpty();
            endIfDone();
            return underWay;
        }

        private void endIfDone() {
            blocks.removeIf(block -> block.kept() == 0);
            if (!underWay && blocks.isEmpty()) {
                over = true;
                gatherings.remove(charge, this);
            }
        }

        void cleanUp(boolean all) {
            List<Block> given = new ArrayList<>();
            synchronized (this) {
                for (Block block : blocks) {
                    if (all || block.isTooOld()) {
                        given.add(block);
                    }
                }
                blocks.removeAll(given);
                endIfDone();
            }
            given.forEach(Block::giveBack);
        }
    }
}
