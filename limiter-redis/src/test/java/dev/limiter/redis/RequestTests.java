package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A reply is used, returned or lost, but never both used and lost. */
class RequestTests {

    private final List<String> events = new ArrayList<>();
    private Runnable duringMaking = () -> {};
    private final Request<String> request = new Request<>(
            0,
            new byte[][] {{1}},
            new byte[] {1},
            1,
            null,
            (answer, position) -> made(answer),
            result -> events.add("given back"));

    private String made(ByteBuffer answer) {
        duringMaking.run();
        if (!answer.hasRemaining()) {
            throw new IllegalStateException("An empty reply");
        }
        return "granted";
    }

    private void countLosses() {
        request.whenLost(() -> events.add("lost"));
    }

    private void answer() {
        request.complete(ByteBuffer.allocate(1), 0);
    }

    private void abandon() {
        request.completeExceptionally(new IllegalStateException("No reply"));
    }

    @Test
    void requestWithAReplyIsNotLost() {
        countLosses();
        answer();
        abandon();
        assertThat(request).isCompletedWithValue("granted");
        assertThat(events).isEmpty();
    }

    @Test
    void replyDuringALossIsReturned() {
        request.whenLost(() -> {
            events.add("lost");
            answer();
        });
        abandon();
        assertThat(request).isCompletedExceptionally();
        assertThat(events).containsExactly("lost", "given back");
    }

    @Test
    void returnedReplyIsNotLost() {
        countLosses();
        request.cancel(true);
        answer();
        abandon();
        assertThat(events).containsExactly("given back");
    }

    @Test
    void lossDuringAReplyReturnsThePermits() {
        countLosses();
        duringMaking = this::abandon;
        answer();
        assertThat(request).isCompletedExceptionally();
        assertThat(events).containsExactly("lost", "given back");
    }

    @Test
    void isAlsoLostWithoutACaller() {
        countLosses();
        request.cancel(true);
        abandon();
        assertThat(events).containsExactly("lost");
    }

    @Test
    void isLostOnce() {
        countLosses();
        abandon();
        abandon();
        assertThat(events).containsExactly("lost");
    }

    @Test
    void isLostWithAnInvalidReply() {
        countLosses();
        request.complete(ByteBuffer.allocate(0), 0);
        assertThat(request).isCompletedExceptionally();
        assertThat(events).containsExactly("lost");
    }
}
