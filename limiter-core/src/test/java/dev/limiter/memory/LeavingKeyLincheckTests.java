package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The operations of {@link StorageLincheckTests} on keys that expire or are evicted concurrently, in all interleavings.
 */
@Tag("lincheck")
class LeavingKeyLincheckTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                StorageLincheckTests.NumberLeaving.class,
                StorageLincheckTests.TwoNumbersLeaving.class,
                StorageLincheckTests.LockedLeaving.class,
                StorageLincheckTests.Flooded.class
            })
    void isLinearizable(Class<?> operations) {
        StorageLincheckTests.modelCheck(operations, StorageLincheckTests.ITERATIONS);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                StorageLincheckTests.CheckThenSet.class,
                StorageLincheckTests.WithoutDeadMark.class,
                StorageLincheckTests.WithoutLock.class,
                StorageLincheckTests.WithoutVersion.class
            })
    void findsTheFault(Class<?> operations) {
        assertThatThrownBy(() -> StorageLincheckTests.modelCheck(operations, 100))
                .isInstanceOf(LincheckAssertionError.class);
    }
}
