package dev.limiter.spring.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.Test;

/** Failures cannot flood the log, and clients cannot forge its lines. */
class FailureLogTests {

    private final AtomicLong time = new AtomicLong(-5);
    private final List<String> messages = new ArrayList<>();
    private final List<Throwable> traces = new ArrayList<>();
    private final FailureLog log = new FailureLog(
            new NoOpLog() {
                @Override
                public void error(Object message, Throwable failure) {
                    messages.add(String.valueOf(message));
                    traces.add(failure);
                }
            },
            time::get);

    @Test
    void oneOfEachSortIsLoggedPerInterval() {
        for (int i = 0; i < 5; i++) {
            log.error("a", "Rule a", new IllegalStateException());
        }
        log.error("b", "Rule b", new IllegalStateException());
        time.addAndGet(FailureLog.INTERVAL.toNanos() - 1);
        log.error("a", "Rule a", new IllegalStateException());
        time.incrementAndGet();
        log.error("a", "Rule a", new IllegalStateException());
        log.error("b", "Rule b", new IllegalStateException());

        assertThat(messages)
                .containsExactly("Rule a", "Rule b", "Rule a (5 more such failures since the last message)", "Rule b");
    }

    @Test
    void nothingThatAClientSentBeginsALine() {
        Exception cause = new NumberFormatException("For input string: \"1\r\nFORGED\"");

        log.error("a", "Rule a for GET /x\nFORGED", new IllegalStateException("\u2028FORGED\u001b[2J", cause));

        StringWriter printed = new StringWriter();
        traces.get(0).printStackTrace(new PrintWriter(printed, true));
        assertThat(messages.get(0)).isEqualTo("Rule a for GET /x\\u000aFORGED");
        assertThat(printed.toString())
                .startsWith("java.lang.IllegalStateException: \\u2028FORGED\\u001b[2J")
                .contains("Caused by: java.lang.NumberFormatException: For input string: \"1\\u000d\\u000aFORGED\"")
                .contains("at " + FailureLogTests.class.getName())
                .doesNotContainPattern("(?m)^FORGED");
    }

    @Test
    void longTextsAreCut() {
        assertThat(LogText.escape("x".repeat(5_000))).isEqualTo("x".repeat(1_000) + "...");
        assertThat(LogText.escape("x".repeat(1_000))).isEqualTo("x".repeat(1_000));
    }
}
