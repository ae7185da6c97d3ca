package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;

class AsyncRequestsTests {

    private final AsyncRequests requests = new AsyncRequests();
    private final AtomicInteger ended = new AtomicInteger();

    @AfterEach
    void close() {
        requests.close();
    }

    /** The context of a request that the container ends without notifying any listener. */
    private static final class ForgottenContext extends MockAsyncContext {

        private volatile boolean over;

        ForgottenContext() {
            super(new MockHttpServletRequest(), null);
        }

        @Override
        public long getTimeout() {
            if (over) {
                throw new IllegalStateException("Recycled");
            }
            return super.getTimeout();
        }
    }

    @Test
    void endsWhatTheContainerHasForgotten() {
        ForgottenContext context = new ForgottenContext();
        requests.begin(context, ended::incrementAndGet);
        requests.endForgotten();
        context.over = true;

        Conditions.await(() -> ended.get() == 1);

        requests.endForgotten();
        requests.endForgotten();
        assertThat(ended).hasValue(1);
    }

    @Test
    void leavesTheEndToTheContainerIfItReportsIt() {
        ForgottenContext reported = new ForgottenContext();
        AsyncContext open = new MockAsyncContext(new MockHttpServletRequest(), null);
        requests.begin(reported, ended::incrementAndGet);
        requests.begin(open, ended::incrementAndGet);
        requests.over(reported);
        reported.over = true;

        for (int i = 0; i < 3; i++) {
            requests.endForgotten();
        }

        assertThat(ended).hasValue(0);
    }
}
