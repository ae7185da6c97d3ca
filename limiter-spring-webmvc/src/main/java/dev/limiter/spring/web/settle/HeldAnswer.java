package dev.limiter.spring.web.settle;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An answer of which the beginning is held while charges are open, and how it comes to be sent. Used by one thread
 * after the other, and by those of asynchronous work at once.
 */
public final class HeldAnswer {

    /** The beginning of a body, of which the container knows nothing. */
    interface Body {

        /** The size of the held body, in bytes. */
        long size();

        /** Hands all that is held to the container. */
        void pass() throws IOException;

        /** Forgets what is held. */
        void drop();
    }

    /** The ways that written bytes go. */
    enum Fate {
        /** They may still be taken back. */
        HELD,
        /** They go to the container, which sends them when it likes. */
        BUFFERED,
        /** They go to the container, and to the client at once: the status that was settled is the one that it gets. */
        SENT
    }

    /** Those of which Jetty makes no error page. */
    private static final Set<Integer> BODILESS = Set.of(
            HttpServletResponse.SC_NO_CONTENT,
            HttpServletResponse.SC_RESET_CONTENT,
            HttpServletResponse.SC_PARTIAL_CONTENT,
            HttpServletResponse.SC_NOT_MODIFIED);

    private final HttpServletResponse target;
    private final boolean withBody;
    private final BooleanSupplier open;
    private final AnswerStage stage;
    private final Container container;
    final ReentrantLock lock = new ReentrantLock();
    private volatile boolean unbuffered;
    private volatile boolean completionExpected;
    private volatile boolean passedAny;
    private volatile boolean handingOver;
    private final AtomicInteger includes = new AtomicInteger();
    private boolean errorPageFollows;
    private final List<Body> bodies = new ArrayList<>(1);
    private volatile long contentLength = ContentLengthResponse.UNKNOWN;

    /** {@code withBody}: whether its request asks for more than the fields. */
    HeldAnswer(
            HttpServletResponse target, boolean withBody, BooleanSupplier open, Consumer<ResponseView> beforeSending) {
        this.target = target;
        this.withBody = withBody;
        this.open = open;
        this.stage = new AnswerStage(beforeSending);
        this.container = Container.of(target);
    }

    /** From now on, parts of the body may be there. */
    void add(Body body) {
        bodies.add(body);
    }

    /**
     * A dispatch begins, and not one within another.
     *
     * @param errorPageFollows whether the container makes another dispatch of one that fails
     */
    public void begin(DispatcherType type, boolean errorPageFollows) {
        lock();
        try {
            this.errorPageFollows = errorPageFollows;
            unbuffered = false;
            completionExpected = false;
            if (type == DispatcherType.ERROR || stage.isReplaced()) {
                stage.reopen();
                drop();
                contentLength = ContentLengthResponse.UNKNOWN;
            }
        } finally {
            unlock();
        }
    }

    /** A forward begins: nothing of what was written so far is sent. */
    public void beginForward() {
        lock();
        try {
            if (stage.isOpen()) {
                drop();
            }
        } finally {
            unlock();
        }
    }

    /**
     * A forward is over, and has not failed: what was written is the answer.
     *
     * @param complete whether the response was not wrapped on the way, or the container takes nothing more; else a
     *     wrapper that has passed nothing on may hold the answer itself, and writes it after the forward
     */
    public void endForward(boolean complete) throws IOException {
        lock();
        try {
            if (stage.isOpen() && (complete || size() > 0)) {
                end(false);
                close();
            }
        } finally {
            unlock();
        }
    }

    /**
     * Containers do that to the body of a forward, but for Tomcat 11, which could still replace it by an error page.
     */
    private void close() throws IOException {
        if (container != Container.TOMCAT) {
            return;
        }
        try {
            target.getOutputStream().close();
        } catch (IllegalStateException writerIsInUse) {
            target.getWriter().close();
        }
    }

    /** Included handlers can write, but neither set the status nor fields of the answer. */
    public void beginInclude() {
        includes.incrementAndGet();
    }

    public void endInclude() {
        includes.decrementAndGet();
    }

    /** The dispatch goes on asynchronously until it is {@link #end ended}, or another begins. */
    void expectCompletion() {
        completionExpected = true;
    }

    /**
     * The dispatch is over, and its request asynchronous. Unless its completion will be reported, the end of the answer
     * is unknown. Unless another dispatch follows, a filter of the application may send the answer now.
     */
    public void goOn(boolean dispatchedAgain) throws IOException {
        if (!completionExpected || !dispatchedAgain && target instanceof ServletResponseWrapper) {
            expectNoBuffer();
        }
    }

    /**
     * Stops holding the answer, because its end will not be reported: hands over the held bytes, and later ones as they
     * are written.
     */
    void expectNoBuffer() throws IOException {
        lock();
        try {
            unbuffered = true;
            if (size() > 0) {
                send();
            }
        } finally {
            unlock();
        }
    }

    /**
     * The answer is complete, unless an error page follows.
     *
     * @param failed whether it is given up, by an unhandled exception
     */
    public void end(boolean failed) throws IOException {
        lock();
        try {
            if (stage.isSent()) {
                settleLate(failed);
            } else if (failed) {
                fail(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            } else if (!stage.isReplaced()) {
                handOver(answer(), stage::settle);
            }
        } finally {
            unlock();
        }
    }

    /** Charges that were opened once the answer was under way are settled, too. */
    private void settleLate(boolean failed) {
        stage.settle(failed && !target.isCommitted() ? failure() : known());
    }

    /** The request is over, however that came about, and nothing can be written any more. */
    public void over() {
        lock();
        try {
            stage.settle(known());
        } finally {
            unlock();
        }
    }

    /** The status that is sent is the present one: the container has begun without being told here. */
    public void committed() {
        lock();
        try {
            if (stage.isOpen()) {
                stage.settle(known());
            }
        } finally {
            unlock();
        }
    }

    /** Whether the answer is one that the container is to replace by an error page. */
    public boolean isAwaitingErrorPage() {
        return stage.isReplaced();
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Whether a body may be held, or held bytes go first. If so, {@link #fate} tells, with the lock. */
    boolean isHolding() {
        return isOpen() || handingOver;
    }

    private boolean isOpen() {
        return stage.isOpen() && open.getAsBoolean();
    }

    /** Some of the body goes to the container without having been held. */
    void passing() {
        if (!passedAny) {
            passedAny = true;
        }
    }

    /**
     * The way of bytes that are to be written; held ones go to the container before them. {@code size}: in bytes, of
     * both. A filter of the application may allow a writer and a stream at once, to keep in the order of what is written.
     */
    Fate fate(Body body, long size) throws IOException {
        if (!isOpen()) {
            return Fate.BUFFERED;
        }
        if (container == Container.JETTY && size > contentLength) {
            throw new IOException("A body of " + size + " bytes is longer than its Content-Length " + contentLength);
        }
        boolean mixed = size() > body.size();
        if (unbuffered || mixed || size > target.getBufferSize()) {
            send();
            return unbuffered || mixed ? Fate.BUFFERED : Fate.SENT;
        }
        if (!isComplete(size)) {
            return Fate.HELD;
        }
        send();
        return Fate.SENT;
    }

    private boolean isComplete(long size) {
        return contentLength > 0 && size >= contentLength && container != Container.UNDERTOW;
    }

    /** Settles, and hands over what is held, unless the container would not send anything now. */
    void send() throws IOException {
        lock();
        try {
            if (stage.isOpen()) {
                handOver(known(), stage::settle);
            }
        } finally {
            unlock();
        }
    }

    /** Whether the container sends what is flushed. */
    boolean isFlushing() {
        return includes.get() == 0 || container != Container.UNDERTOW;
    }

    /** The dispatch has failed, by an exception, or the application says so. */
    private void fail(int status) {
        drop();
        if (stage.isOpen() && target.isCommitted()) {
            stage.settle(known());
        } else if (errorPageFollows && !(container == Container.JETTY && BODILESS.contains(status))) {
            stage.replace();
        } else {
            stage.settle(new AnswerView(target, status));
        }
    }

    /** The answer as far as it is known. */
    private ResponseView known() {
        ResponseView known = stage.answer();
        return known == null ? new AnswerView(target, target.getStatus()) : known;
    }

    /** The answer, of which nothing is missing. */
    private ResponseView answer() {
        return stage.isOpen() && isShort() ? failure() : known();
    }

    private ResponseView failure() {
        return new AnswerView(target, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
    }

    /** Containers answer with 500, or cut the connection. */
    private boolean isShort() {
        int status = target.getStatus();
        return withBody
                && status != HttpServletResponse.SC_NO_CONTENT
                && status != HttpServletResponse.SC_NOT_MODIFIED
                && contentLength != ContentLengthResponse.UNKNOWN
                && size() < contentLength
                && !passedAny
                && !target.isCommitted();
    }

    /** The bytes held. */
    long size() {
        long size = 0;
        for (Body body : bodies) {
            size += body.size();
        }
        return size;
    }

    /** Settles, and hands over what is held; what another thread writes meanwhile comes behind that. */
    private void handOver(ResponseView answer, Consumer<ResponseView> settle) throws IOException {
        handingOver = true;
        try {
            settle.accept(answer);
            for (Body body : bodies) {
                body.pass();
            }
        } finally {
            handingOver = false;
        }
    }

    void drop() {
        lock();
        try {
            passedAny = false;
            bodies.forEach(Body::drop);
        } finally {
            unlock();
        }
    }

    /** Whether what the application says about its answer makes a difference. */
    boolean isAnswering() {
        return includes.get() == 0 && stage.isOpen() && !target.isCommitted();
    }

    /** An interim response, as Jetty sends it, and cutting the connection leave the answer as it is. */
    void error(int status) {
        if (status < HttpServletResponse.SC_OK) {
            return;
        }
        lock();
        try {
            if (isAnswering()) {
                fail(status);
            }
        } finally {
            unlock();
        }
    }

    void redirect(String location, int status, boolean clearBuffer) throws IOException {
        lock();
        try {
            if (!isAnswering()) {
                return;
            }
            if (clearBuffer) {
                drop();
            }
            ResponseView answer = isShort() ? failure() : new AnswerView(target, status, location);
            handOver(answer, container == Container.TOMCAT ? stage::keep : stage::settle);
        } finally {
            unlock();
        }
    }

    /** The container has forgotten all about it. */
    void reset() {
        if (includes.get() == 0) {
            drop();
            contentLength = ContentLengthResponse.UNKNOWN;
        }
    }

    /** How long it is going to be, {@link ContentLengthResponse#UNKNOWN} if that is not known any more. */
    void contentLength(long length) throws IOException {
        lock();
        try {
            if (!isAnswering()) {
                return;
            }
            contentLength = length;
            if (container == Container.JETTY && size() > length) {
                throw new IllegalArgumentException(
                        "Content-Length " + length + " is shorter than the body of " + size() + " bytes");
            }
            if (isOpen() && isComplete(size())) {
                send();
                target.flushBuffer();
            }
        } finally {
            unlock();
        }
    }
}
