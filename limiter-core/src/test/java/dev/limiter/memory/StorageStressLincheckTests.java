package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operations of {@link StorageLincheckTests} in real threads. */
@Tag("lincheck")
@Tag("race")
class StorageStressLincheckTests {

    private static void stress(Class<?> operations, int iterations) {
        new StressOptions()
                .iterations(iterations)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(2)
                .minimizeFailedScenario(false)
                .check(operations);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                StorageLincheckTests.Number.class,
                StorageLincheckTests.Locked.class,
                StorageLincheckTests.TwoNumbers.class,
                StorageLincheckTests.Mixed.class,
                StorageLincheckTests.NumberLeaving.class,
                StorageLincheckTests.TwoNumbersLeaving.class,
                StorageLincheckTests.LockedLeaving.class,
                StorageLincheckTests.Flooded.class
            })
    void isLinearizableUnderStress(Class<?> operations) {
        stress(operations, 3 * StorageLincheckTests.ITERATIONS);
    }

    /** By chance: a hundred iterations once did not suffice; stops at the first failure. */
    @Test
    void stressFindsTheFault() {
        assertThatThrownBy(() -> stress(StorageLincheckTests.WithoutLock.class, 1_000))
                .isInstanceOf(LincheckAssertionError.class);
    }
}
