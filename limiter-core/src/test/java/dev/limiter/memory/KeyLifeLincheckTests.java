package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongFunction;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The life of a key: found, decided on, succeeded, evicted, expired, reset, refunded. After any interleaving, each live
 * cell is in a position where it is found in time, and no dead cell is in a queue. Broken subclasses of {@link
 * Eviction} reintroduce each fault of the first version, and the test must fail with them.
 */
@Tag("lincheck")
class KeyLifeLincheckTests {

    private static final Duration WINDOW = Duration.ofSeconds(10);

    /** Records each cell that was ever in a queue. */
    private static class WatchedEviction extends Eviction {

        final Queue<Cell> cells = new ConcurrentLinkedQueue<>();

        WatchedEviction(long max, VirtualTime time) {
            super(max, time);
        }

        @Override
        boolean admit(Cell cell) {
            boolean admitted = super.admit(cell);
            if (admitted) {
                cells.add(cell);
            }
            return admitted;
        }

        @Override
        void succeeded(Cell dead, Cell successor) {
            cells.add(successor);
            super.succeeded(dead, successor);
        }

        final void check() {
            long living = 0;
            for (Cell cell : cells) {
                boolean gone = cell.isDead() || cell.bound.cells.get(cell.key) != cell;
                if (gone ? cell.tick != null || cell.slot != EvictionCandidates.LEFT : isLost(cell)) {
                    throw new IllegalStateException((gone ? "gone" : "lost") + " cell of " + cell.key);
                }
                living += gone ? 0 : 1;
            }
            if (living != size()) {
                throw new IllegalStateException(living + " cells are counted as " + size());
            }
        }

        private boolean isLost(Cell cell) {
            ExpiryQueue.Tick place = cell.tick;
            return place == null || isMisplaced(cell, place);
        }
    }

    /** Two keys, space for two more, and everything that can happen to a key. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public abstract static class Life {

        final VirtualTime time = new VirtualTime();
        private final WatchedEviction eviction;
        final InMemoryRateLimiterStorage storage;
        private final Decision[] last = new Decision[10];
        private final Rule rule;
        private final Rule changed;

        Life(long max, LongFunction<Limit> limit) {
            this.eviction = eviction(max);
            this.storage = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, max, eviction);
            this.rule = Rule.of("rule", limit.apply(2));
            this.changed = Rule.of("rule", limit.apply(3));
        }

        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time);
        }

        @Operation
        public boolean take(@Param(name = "thread") int thread) {
            Decision decision = storage.decide(rule, "key", 1);
            last[thread] = decision;
            return decision.permitted();
        }

        @Operation
        public void giveBack(@Param(name = "thread") int thread) {
            Decision decision = last[thread];
            if (decision != null) {
                decision.giveBack();
            }
        }

        @Operation
        public void reset() {
            storage.reset(rule, "key");
        }

        @Operation
        public boolean takeUnderAnotherLimit() {
            return storage.decide(changed, "key", 1).permitted();
        }

        @Operation
        public void cleanUp() {
            time.advance(WINDOW.toNanos() / 50);
            storage.cleanUp();
        }

        @Operation
        public void pass() {
            time.advance(3 * WINDOW.toNanos());
        }

        @Validate
        public void everyCellIsInItsPosition() {
            eviction.check();
            check();
        }

        void check() {}
    }

    public static class OfNumber extends Life {

        public OfNumber() {
            super(4, limit -> Limit.fixedWindow(limit, WINDOW));
        }
    }

    /** Becomes fresh earlier with each returned permit. */
    public static class OfBucket extends Life {

        public OfBucket() {
            super(4, limit -> Limit.tokenBucket(limit, WINDOW));
        }
    }

    public static class OfLog extends Life {

        public OfLog() {
            super(4, limit -> Limit.slidingWindowLog(limit, WINDOW));
        }
    }

    public static class OfHeldPermits extends Life {

        public OfHeldPermits() {
            super(4, Limit::concurrency);
        }
    }

    /** A flood of keys while one key uses most of its limit. */
    public static class Flooded extends Life {

        private static final Rule RULE = Rule.of("victims", Limit.fixedWindow(10, WINDOW));
        private static final Rule FLOOD = Rule.of("flood", Limit.fixedWindow(100, WINDOW.multipliedBy(100)));

        public Flooded() {
            super(2, limit -> FLOOD.limits().get(0));
            storage.decide(RULE, "victim", 9);
        }

        @Operation
        public boolean flood(@Param(name = "thread") int thread) {
            return storage.decide(FLOOD, "flood" + thread, 1).permitted();
        }

        @Override
        public void pass() {}

        @Override
        final void check() {
            if (storage.peek(RULE, "victim").remaining() > 1) {
                throw new IllegalStateException("The victim was forgotten");
            }
        }
    }

    /** Broken: a guarded key is never examined again. */
    public static class GuardedForEver extends OfHeldPermits {

        @Override
        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time) {

                @Override
                void relaxed(Cell cell) {}
            };
        }
    }

    /** Broken: evicts the key that is fresh first. */
    public static class EvictsByTime extends Flooded {

        @Override
        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time) {

                @Override
                double rank(Cell cell, long word, long now) {
                    return cell.freshAt(word);
                }
            };
        }
    }

    /** Broken: a key keeps its position although it is fresh earlier now. */
    public static class StaysWhereItWas extends OfBucket {

        @Override
        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time) {

                @Override
                void relaxed(Cell cell) {}
            };
        }
    }

    /** Broken: a reset key stays in its queue. */
    public static class LeavesItsPlace extends OfNumber {

        @Override
        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time) {

                @Override
                void forget(Cell cell) {}
            };
        }
    }

    /** Broken: a successor is not added to a queue. */
    public static class LosesItsPlace extends OfNumber {

        @Override
        WatchedEviction eviction(long max) {
            return new WatchedEviction(max, time) {

                @Override
                void succeeded(Cell dead, Cell successor) {
                    cells.add(successor);
                }
            };
        }
    }

    private static void modelCheck(Class<?> operations, int iterations) {
        new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1)
                .minimizeFailedScenario(false)
                .check(operations);
    }

    /** Finds faults in most interleavings, without the long traces of model checking. */
    private static void stress(Class<?> operations) {
        new StressOptions()
                .iterations(600)
                .invocationsPerIteration(10)
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(0)
                .actorsAfter(1)
                .minimizeFailedScenario(false)
                .check(operations);
    }

    @ParameterizedTest
    @ValueSource(classes = {OfNumber.class, OfBucket.class, OfLog.class, OfHeldPermits.class, Flooded.class})
    void everyKeyHasOnePosition(Class<?> operations) {
        modelCheck(operations, StorageLincheckTests.ITERATIONS);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                GuardedForEver.class,
                EvictsByTime.class,
                StaysWhereItWas.class,
                LeavesItsPlace.class,
                LosesItsPlace.class
            })
    void findsEachFault(Class<?> operations) {
        assertThatThrownBy(() -> stress(operations)).isInstanceOf(LincheckAssertionError.class);
    }
}
