package dev.limiter.spring.actuate.endpoint;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.actuate.endpoint.OperationRateLimiter.TooManyOperationsException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** So many operations a second, and not one more. */
class OperationRateLimiterTests {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
    private final OperationRateLimiter rate = new OperationRateLimiter(now::get);

    @Test
    void admitsSoManyInEachSecond() {
        for (int second = 0; second < 3; second++) {
            for (int i = 0; i < OperationRateLimiter.MOST; i++) {
                rate.admit();
            }
            assertThatThrownBy(rate::admit).isInstanceOf(TooManyOperationsException.class);
            now.addAndGet(999_999_999);
            assertThatThrownBy(rate::admit).isInstanceOf(TooManyOperationsException.class);
            now.addAndGet(1);
            assertThatCode(rate::admit).doesNotThrowAnyException();
            now.addAndGet(1_000_000_000);
        }
    }
}
