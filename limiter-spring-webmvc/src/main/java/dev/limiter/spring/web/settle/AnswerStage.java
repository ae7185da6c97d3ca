package dev.limiter.spring.web.settle;

import dev.limiter.spring.context.ResponseView;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How far an answer has come, and what is told of it. To be used with the lock of its response. */
final class AnswerStage {

    private enum Stage {
        /** The answer may still change. */
        OPEN,
        /** The application has given it, but the container keeps it: a failure may yet replace it. */
        KEPT,
        /** The container is to replace it by an error page. */
        REPLACED,
        /** It has been told of, and is on its way. */
        SENT
    }

    private final Consumer<ResponseView> beforeSending;
    private volatile Stage stage = Stage.OPEN;
    private @Nullable ResponseView answer;

    AnswerStage(Consumer<ResponseView> beforeSending) {
        this.beforeSending = beforeSending;
    }

    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    boolean isReplaced() {
        return stage == Stage.REPLACED;
    }

    boolean isSent() {
        return stage == Stage.SENT;
    }

    /** The answer that is kept, or was sent; null of others. */
    @Nullable
    ResponseView answer() {
        return answer;
    }

    void keep(ResponseView kept) {
        answer = kept;
        stage = Stage.KEPT;
    }

    void replace() {
        answer = null;
        stage = Stage.REPLACED;
    }

    /** Another answer begins, unless one is under way. */
    void reopen() {
        if (!isSent()) {
            answer = null;
            stage = Stage.OPEN;
        }
    }

    /** The answer is about to be sent. */
    void settle(ResponseView sent) {
        answer = sent;
        try {
            beforeSending.accept(sent);
        } finally {
            stage = Stage.SENT;
        }
    }
}
