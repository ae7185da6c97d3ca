package dev.limiter.spring.web.settle;

import dev.limiter.spring.context.ResponseView;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells when an answer is about to be sent: its status is final then, and its first byte still here. While charges are
 * open, it holds the beginning of the body itself, as much as the buffer of the container would, so that nothing else
 * decides when that is sent. Used by one thread after the other, and by those of asynchronous work at once.
 */
public final class SettlingResponse extends ContentLengthResponse {

    /** The beginning of a body, of which the container knows nothing. */
    interface Body {

        /** In bytes. */
        long size();

        /** Hands all that is held to the container. */
        void pass() throws IOException;

        /** Forgets what is held. */
        void drop();
    }

    /** What becomes of bytes that are written. */
    enum Fate {
        /** They may still be taken back. */
        HELD,
        /** They go to the container, which sends them when it likes. */
        BUFFERED,
        /** They go to the container, and to the client at once: the status that was settled is the one that it gets. */
        SENT
    }

    private final boolean withBody;
    private final BooleanSupplier open;
    private final Settlement settlement;
    private final Container container;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean unbuffered;
    private volatile boolean completionExpected;
    private volatile boolean passedAny;
    private final AtomicInteger includes = new AtomicInteger();
    private boolean errorPageFollows;
    private @Nullable SettlingOutputStream stream;
    private @Nullable SettlingWriter writer;

    /**
     * @param open whether any charge waits for the answer; once true, always true
     * @param beforeSending is told the answer; it may be told the same once more when the request is over
     */
    public SettlingResponse(
            HttpServletRequest request,
            HttpServletResponse response,
            BooleanSupplier open,
            Consumer<ResponseView> beforeSending) {
        super(response);
        this.withBody = !request.getMethod().equals("HEAD");
        this.open = open;
        this.settlement = new Settlement(beforeSending);
        this.container = Container.of(response);
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
            if (type == DispatcherType.ERROR || settlement.isReplaced()) {
                settlement.reopen();
                drop();
                forgetContentLength();
            }
        } finally {
            unlock();
        }
    }

    /** A forward begins: nothing of what was written so far is sent. */
    public void beginForward() {
        if (settlement.isOpen()) {
            drop();
        }
    }

    /** A forward is over, and has not failed: what was written is the answer. */
    public void endForward() throws IOException {
        lock();
        try {
            if (settlement.isOpen()) {
                end(false);
                close();
            }
        } finally {
            unlock();
        }
    }

    /** Containers do that to the body of a forward, but for Tomcat 11, which could still replace it by an error page. */
    private void close() throws IOException {
        if (container != Container.TOMCAT) {
            return;
        }
        try {
            super.getOutputStream().close();
        } catch (IllegalStateException writerIsInUse) {
            super.getWriter().close();
        }
    }

    /** What is included can write, and say nothing about the answer. */
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
     * The dispatch is over, and its request asynchronous. Unless the end of that is going to be told, nobody knows when
     * the answer is complete.
     */
    public void goOn() throws IOException {
        if (!completionExpected) {
            expectNoBuffer();
        }
    }

    /** From now on nobody knows when the answer is complete: what is held is handed over, and what is written next. */
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
     * @param failed whether it is given up, by an exception that nobody handled
     */
    public void end(boolean failed) throws IOException {
        lock();
        try {
            if (settlement.isSent()) {
                settleLate(failed);
            } else if (failed) {
                fail(SC_INTERNAL_SERVER_ERROR);
            } else if (!settlement.isReplaced()) {
                settlement.settle(answer());
                pass();
            }
        } finally {
            unlock();
        }
    }

    /** What was taken since the answer is under way is not forgotten. */
    private void settleLate(boolean failed) {
        settlement.settle(failed && !isCommitted() ? failure() : known());
    }

    /** The request is over, however that came about, and nothing can be written any more. */
    public void over() {
        lock();
        try {
            settlement.settle(known());
        } finally {
            unlock();
        }
    }

    /** The status that is sent is the present one: the container has begun without being told here. */
    public void committed() {
        lock();
        try {
            if (settlement.isOpen()) {
                settlement.settle(known());
            }
        } finally {
            unlock();
        }
    }

    /** Whether the answer is one that the container is to replace by an error page. */
    public boolean isAwaitingErrorPage() {
        return settlement.isReplaced();
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Whether a body may be held. If so, {@link #fate} tells, with the lock. */
    boolean isHolding() {
        return settlement.isOpen() && open.getAsBoolean();
    }

    /** Some of the body goes to the container without having been held. */
    void passing() {
        if (!passedAny) {
            passedAny = true;
        }
    }

    /** What becomes of what is to be written. What is held goes to the container before it. {@code size}: in bytes, of both. */
    Fate fate(long size) throws IOException {
        if (!isHolding()) {
            return Fate.BUFFERED;
        }
        if (container == Container.JETTY && size > contentLength()) {
            throw new IOException("A body of " + size + " bytes is longer than its Content-Length " + contentLength());
        }
        if (unbuffered || size > getBufferSize()) {
            send();
            return unbuffered ? Fate.BUFFERED : Fate.SENT;
        }
        if (!isComplete(size)) {
            return Fate.HELD;
        }
        send();
        return Fate.SENT;
    }

    private boolean isComplete(long size) {
        return contentLength() > 0 && size >= contentLength() && container != Container.UNDERTOW;
    }

    /** Settles, and hands over what is held, unless the container would not send anything now. */
    void send() throws IOException {
        lock();
        try {
            if (settlement.isOpen()) {
                settlement.settle(known());
                pass();
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
        if (settlement.isOpen() && isCommitted()) {
            settlement.settle(known());
        } else if (errorPageFollows && status >= SC_BAD_REQUEST) {
            settlement.replace();
        } else {
            settlement.settle(new AnswerView(container(), status));
        }
    }

    /** The answer as far as it is known. */
    private ResponseView known() {
        ResponseView known = settlement.answer();
        return known == null ? new AnswerView(container(), getStatus()) : known;
    }

    /** The answer, of which nothing is missing. */
    private ResponseView answer() {
        return settlement.isOpen() && isShort() ? failure() : known();
    }

    private ResponseView failure() {
        return new AnswerView(container(), SC_INTERNAL_SERVER_ERROR);
    }

    /** Containers answer with 500, or cut the connection. */
    private boolean isShort() {
        int status = getStatus();
        return withBody
                && status != SC_NO_CONTENT
                && status != SC_NOT_MODIFIED
                && hasContentLength()
                && size() < contentLength()
                && !passedAny
                && !isCommitted();
    }

    private long size() {
        return (stream == null ? 0 : stream.size()) + (writer == null ? 0 : writer.size());
    }

    private void pass() throws IOException {
        if (stream != null) {
            stream.pass();
        }
        if (writer != null) {
            writer.pass();
        }
    }

    private void drop() {
        lock();
        try {
            passedAny = false;
            if (stream != null) {
                stream.drop();
            }
            if (writer != null) {
                writer.drop();
            }
        } finally {
            unlock();
        }
    }

    private HttpServletResponse container() {
        return (HttpServletResponse) getResponse();
    }

    /** Whether what the application says about its answer makes a difference. */
    private boolean isAnswering() {
        return includes.get() == 0 && settlement.isOpen() && !isCommitted();
    }

    @Override
    public void sendError(int status) throws IOException {
        failIfAnswering(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        failIfAnswering(status);
        super.sendError(status, message);
    }

    private void failIfAnswering(int status) {
        lock();
        try {
            if (isAnswering()) {
                fail(status);
            }
        } finally {
            unlock();
        }
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        redirect(location, SC_FOUND, true);
        super.sendRedirect(location);
    }

    /** Of Servlet 6.1, which this class is not compiled against. */
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    /** Of Servlet 6.1. */
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    /** Of Servlet 6.1. */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        redirect(location, status, clearBuffer);
        StatusRedirection.send(container(), location, status, clearBuffer);
    }

    private void redirect(String location, int status, boolean clearBuffer) throws IOException {
        lock();
        try {
            if (!isAnswering()) {
                return;
            }
            if (clearBuffer) {
                drop();
            }
            ResponseView answer = isShort() ? failure() : new AnswerView(container(), status, location);
            if (container == Container.TOMCAT) {
                settlement.keep(answer);
            } else {
                settlement.settle(answer);
            }
            pass();
        } finally {
            unlock();
        }
    }

    @Override
    public void flushBuffer() throws IOException {
        if (isFlushing()) {
            send();
        }
        super.flushBuffer();
    }

    /** The same one for as long as the response lives: a wrapper may keep it beyond a {@link #reset()}. */
    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream target = super.getOutputStream();
        lock();
        try {
            if (stream == null) {
                stream = new SettlingOutputStream(this, target);
            }
            stream.writeTo(target);
            return stream;
        } finally {
            unlock();
        }
    }

    /** The same one for as long as the response lives: a wrapper may keep it beyond a {@link #reset()}. */
    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter target = super.getWriter();
        lock();
        try {
            if (writer == null) {
                writer = new SettlingWriter(this, target);
            }
            writer.writeTo(target, Charset.forName(getCharacterEncoding()));
            return writer;
        } finally {
            unlock();
        }
    }

    @Override
    public void reset() {
        lock();
        try {
            super.reset();
            if (includes.get() == 0) {
                drop();
                forgetContentLength();
            }
        } finally {
            unlock();
        }
    }

    @Override
    public void resetBuffer() {
        lock();
        try {
            super.resetBuffer();
            drop();
        } finally {
            unlock();
        }
    }

    @Override
    public void setBufferSize(int size) {
        if (size() > 0) {
            throw new IllegalStateException("The size of a buffer cannot change once it holds something");
        }
        super.setBufferSize(size);
    }

    @Override
    boolean acceptsContentLength() {
        return isAnswering();
    }

    @Override
    void contentLengthSet() throws IOException {
        lock();
        try {
            if (container == Container.JETTY && size() > contentLength()) {
                throw new IllegalArgumentException(
                        "Content-Length " + contentLength() + " is shorter than the body of " + size() + " bytes");
            }
            if (isHolding() && isComplete(size())) {
                send();
                super.flushBuffer();
            }
        } finally {
            unlock();
        }
    }
}
