package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import dev.limiter.memory.BrokenStorage.Fault;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
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
    static final int ITERATIONS = Integer.getInteger("limiter.lincheck.iterations", 1);

    private static final RateLimiterFactory FACTORY = new RateLimiterFactory();
    private static final Duration WINDOW = Duration.ofSeconds(1);

    /** The operations of all states, with a clock that stands still. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public abstract static class Frozen {

        private final RateLimiterStorage storage = new InMemoryRateLimiterStorage(FACTORY, new VirtualTime(), 10);
        private final Decision[] last = new Decision[10];
        private final Rule rule;
        private final Rule changed;

        /** Uses the limits, and others of the same names; the first of those is larger. */
        Frozen(Limit limit, Limit larger, Limit... more) {
            this.rule = rule(limit, more);
            this.changed = rule(larger, more);
        }

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
            return storage.decide(changed, "key", 1).permitted();
        }

        @Validate
        public void countsOneState() {
            if (storage.size() > 1) {
                throw new IllegalStateException(storage.size() + " states of one key");
            }
        }
    }

    private static Rule rule(Limit first, Limit... more) {
        return Rule.of("rule", Stream.concat(Stream.of(first), Stream.of(more)).toArray(Limit[]::new));
    }

    public static class Number extends Frozen {

        public Number() {
            super(Limit.fixedWindow(2, WINDOW), Limit.fixedWindow(3, WINDOW));
        }
    }

    public static class Locked extends Frozen {

        public Locked() {
            super(Limit.slidingWindowLog(2, WINDOW), Limit.slidingWindowLog(3, WINDOW));
        }
    }

    public static class TwoNumbers extends Frozen {

        public TwoNumbers() {
            super(
                    Limit.tokenBucket(2, WINDOW),
                    Limit.tokenBucket(3, WINDOW),
                    Limit.fixedWindow(3, WINDOW).named("second"));
        }
    }

    /** A single-number state and a more complex one. */
    public static class Mixed extends Frozen {

        public Mixed() {
            super(
                    Limit.tokenBucket(2, WINDOW),
                    Limit.tokenBucket(3, WINDOW),
                    Limit.slidingWindowLog(3, WINDOW).named("second"));
        }
    }

    /** States that expire or are evicted. The clock advances so far that all are fresh. */
    public abstract static class Leaving {

        private final VirtualTime time = new VirtualTime();
        final RateLimiterStorage storage;
        final Rule rule;

        Leaving(Function<TimeSource, RateLimiterStorage> storage, Limit limit, Limit... more) {
            this.storage = storage.apply(time);
            this.rule = rule(limit, more);
        }

        @Operation
        public boolean take() {
            return storage.decide(rule, "key", 1).permitted();
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

    private static Function<TimeSource, RateLimiterStorage> memory(int maxKeys) {
        return time -> new InMemoryRateLimiterStorage(FACTORY, time, maxKeys);
    }

    private static Function<TimeSource, RateLimiterStorage> broken(Fault fault) {
        return time -> new BrokenStorage(fault, FACTORY, time);
    }

    public static class NumberLeaving extends Leaving {

        public NumberLeaving() {
            super(memory(10), Limit.fixedWindow(1, WINDOW));
        }
    }

    public static class TwoNumbersLeaving extends Leaving {

        public TwoNumbersLeaving() {
            super(
                    memory(10),
                    Limit.fixedWindow(1, WINDOW),
                    Limit.tokenBucket(2, WINDOW).named("second"));
        }
    }

    public static class LockedLeaving extends Leaving {

        public LockedLeaving() {
            super(memory(10), Limit.slidingWindowLog(1, WINDOW));
        }
    }

    public static class CheckThenSet extends Leaving {

        public CheckThenSet() {
            super(broken(Fault.NO_COMPARE), Limit.fixedWindow(1, WINDOW));
        }
    }

    public static class WithoutDeadMark extends Leaving {

        public WithoutDeadMark() {
            super(broken(Fault.NO_DEAD_MARK), Limit.fixedWindow(1, WINDOW));
        }
    }

    public static class WithoutLock extends Leaving {

        public WithoutLock() {
            super(broken(Fault.NO_LOCK), Limit.slidingWindowLog(1, WINDOW));
        }
    }

    public static class WithoutVersion extends Leaving {

        public WithoutVersion() {
            super(
                    broken(Fault.NO_VERSION),
                    Limit.fixedWindow(1, WINDOW),
                    Limit.tokenBucket(2, WINDOW).named("second"));
        }
    }

    private static void modelCheck(Class<?> operations, int iterations) {
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
    @ValueSource(
            classes = {
                Number.class,
                Locked.class,
                TwoNumbers.class,
                Mixed.class,
                NumberLeaving.class,
                TwoNumbersLeaving.class,
                LockedLeaving.class
            })
    void isLinearizable(Class<?> operations) {
        modelCheck(operations, ITERATIONS);
    }

    @ParameterizedTest
    @ValueSource(classes = {CheckThenSet.class, WithoutDeadMark.class, WithoutLock.class, WithoutVersion.class})
    void findsTheFault(Class<?> operations) {
        assertThatThrownBy(() -> modelCheck(operations, 100)).isInstanceOf(LincheckAssertionError.class);
    }
}
