package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The storage is linearizable: concurrent operations behave as if executed one after the other. Every check also runs
 * on a {@link BrokenStorage}, and must detect its fault.
 */
@Tag("lincheck")
class StorageLincheckTests {

    /** The scenarios per checked class; more find rarer faults. */
    static final int ITERATIONS = Integer.getInteger("limiter.lincheck.iterations", 2);

    static final RateLimiterFactory FACTORY = new RateLimiterFactory();
    static final Duration WINDOW = Duration.ofSeconds(1);

    /** The operations of all states, with a clock that stands still. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public abstract static class Frozen {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage storage = storage();
        final Rule rule = rule();
        private final Decision[] last = new Decision[10];

        RateLimiterStorage storage() {
            return new InMemoryRateLimiterStorage(FACTORY, time, 10);
        }

        abstract Rule rule();

        /** Returns a rule of the same name with a larger limit. */
        abstract Rule changed();

        @Operation
        public boolean take(@Param(name = "thread") int thread) {
            Decision decision = storage.decide(rule, "key", 1);
            last[thread] = decision;
            return decision.permitted();
        }

        @Operation
        public boolean takeTwo() {
            return storage.decide(rule, "key", 2).permitted();
        }

        @Operation
        public void giveBack(@Param(name = "thread") int thread) {
            Decision decision = last[thread];
            if (decision != null) {
                decision.giveBack();
            }
        }

        @Operation
        public long peek() {
            return storage.peek(rule, "key").remaining();
        }

        @Operation
        public void reset() {
            storage.reset(rule, "key");
        }

        @Operation
        public void cleanUp() {
            storage.cleanUp();
        }

        @Operation
        public boolean takeUnderAnotherLimit() {
            return storage.decide(changed(), "key", 1).permitted();
        }

        @Validate
        public void countsOneState() {
            if (storage.size() > 1) {
                throw new IllegalStateException(storage.size() + " states of one key");
            }
        }
    }

    public static class Number extends Frozen {

        private static final Rule RULE = Rule.of("rule", Limit.fixedWindow(2, WINDOW));
        private static final Rule CHANGED = Rule.of("rule", Limit.fixedWindow(3, WINDOW));

        @Override
        Rule rule() {
            return RULE;
        }

        @Override
        Rule changed() {
            return CHANGED;
        }
    }

    public static class Locked extends Frozen {

        private static final Rule RULE = Rule.of("rule", Limit.slidingWindowLog(2, WINDOW));
        private static final Rule CHANGED = Rule.of("rule", Limit.slidingWindowLog(3, WINDOW));

        @Override
        Rule rule() {
            return RULE;
        }

        @Override
        Rule changed() {
            return CHANGED;
        }
    }

    public static class TwoNumbers extends Frozen {

        private static final Rule RULE = Rule.of(
                "rule",
                Limit.tokenBucket(2, WINDOW),
                Limit.fixedWindow(3, WINDOW).named("second"));
        private static final Rule CHANGED = Rule.of(
                "rule",
                Limit.tokenBucket(3, WINDOW),
                Limit.fixedWindow(3, WINDOW).named("second"));

        @Override
        Rule rule() {
            return RULE;
        }

        @Override
        Rule changed() {
            return CHANGED;
        }
    }

    /** A single-number state and a more complex one. */
    public static class Mixed extends Frozen {

        private static final Rule RULE = Rule.of(
                "rule",
                Limit.tokenBucket(2, WINDOW),
                Limit.slidingWindowLog(3, WINDOW).named("second"));
        private static final Rule CHANGED = Rule.of(
                "rule",
                Limit.tokenBucket(3, WINDOW),
                Limit.slidingWindowLog(3, WINDOW).named("second"));

        @Override
        Rule rule() {
            return RULE;
        }

        @Override
        Rule changed() {
            return CHANGED;
        }
    }

    /** States that expire or are evicted. The clock advances so far that all are fresh. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public abstract static class Leaving {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage storage = storage();

        RateLimiterStorage storage() {
            return new InMemoryRateLimiterStorage(FACTORY, time, 10);
        }

        abstract Rule rule();

        @Operation
        public boolean take() {
            return storage.decide(rule(), "key", 1).permitted();
        }

        @Operation
        public void cleanUp() {
            storage.cleanUp();
        }

        @Operation
        public void pass() {
            time.advance(3 * WINDOW.toNanos());
        }
    }

    public static class NumberLeaving extends Leaving {

        private static final Rule RULE = Rule.of("rule", Limit.fixedWindow(1, WINDOW));

        @Override
        Rule rule() {
            return RULE;
        }
    }

    public static class TwoNumbersLeaving extends Leaving {

        private static final Rule RULE = Rule.of(
                "rule",
                Limit.fixedWindow(1, WINDOW),
                Limit.tokenBucket(2, WINDOW).named("second"));

        @Override
        Rule rule() {
            return RULE;
        }
    }

    public static class LockedLeaving extends Leaving {

        private static final Rule RULE = Rule.of("rule", Limit.slidingWindowLog(1, WINDOW));

        @Override
        Rule rule() {
            return RULE;
        }
    }

    /** A key at its limit, and a flood of others that could evict it. */
    public static class Flooded extends NumberLeaving {

        private static final Rule WIDE = Rule.of("wide", Limit.fixedWindow(100, WINDOW));

        public Flooded() {
            storage.decide(rule(), "key", 1);
        }

        @Override
        RateLimiterStorage storage() {
            return new InMemoryRateLimiterStorage(FACTORY, time, 1);
        }

        @Operation
        public boolean flood(@Param(name = "thread") int thread) {
            return storage.decide(WIDE, "flood" + thread, 1).permitted();
        }

        @Override
        public void pass() {}
    }

    public static class CheckThenSet extends NumberLeaving {

        @Override
        RateLimiterStorage storage() {
            return new BrokenStorage(BrokenStorage.Fault.NO_COMPARE, FACTORY, time);
        }
    }

    public static class WithoutDeadMark extends NumberLeaving {

        @Override
        RateLimiterStorage storage() {
            return new BrokenStorage(BrokenStorage.Fault.NO_DEAD_MARK, FACTORY, time);
        }
    }

    public static class WithoutLock extends LockedLeaving {

        @Override
        RateLimiterStorage storage() {
            return new BrokenStorage(BrokenStorage.Fault.NO_LOCK, FACTORY, time);
        }
    }

    public static class WithoutVersion extends TwoNumbersLeaving {

        @Override
        RateLimiterStorage storage() {
            return new BrokenStorage(BrokenStorage.Fault.NO_VERSION, FACTORY, time);
        }
    }

    static void modelCheck(Class<?> operations, int iterations) {
        // without initial operations, which could leave nothing to take
        new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(120)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(2)
                .minimizeFailedScenario(false)
                .check(operations);
    }

    @ParameterizedTest
    @ValueSource(classes = {Number.class, Locked.class, TwoNumbers.class, Mixed.class})
    void isLinearizable(Class<?> operations) {
        modelCheck(operations, ITERATIONS);
    }
}
