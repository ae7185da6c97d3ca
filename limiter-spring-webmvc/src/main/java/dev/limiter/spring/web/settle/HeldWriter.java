package dev.limiter.spring.web.settle;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the first characters of an answer as long as its {@link HeldAnswer} says so. The container encodes them,
 * and says how lines end; here is only counted how many bytes that will be.
 */
final class HeldWriter extends PrintWriter implements HeldAnswer.Body {

    private final HeldAnswer answer;
    private final StringBuilder held = new StringBuilder(0);
    /** Behind how many of the characters held each line ends. */
    private final List<Integer> lineEnds = new ArrayList<>(0);

    private volatile PrintWriter target;
    private @Nullable Charset charset;
    private @Nullable EncodedSize size;

    HeldWriter(HeldAnswer answer, PrintWriter target) {
        super(target);
        this.answer = answer;
        this.target = target;
    }

    /** From now on, the container wants the body here. */
    void writeTo(PrintWriter other, Charset encoding) {
        target = other;
        out = other;
        if (isEmpty() && !encoding.equals(charset)) {
            charset = encoding;
            size = null;
        }
    }

    @Override
    public void write(int value) {
        write(new char[] {(char) value}, 0, 1);
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        if (answer.isHolding()) {
            put(CharBuffer.wrap(chars, offset, length), false);
        } else {
            answer.passing();
            target.write(chars, offset, length);
        }
    }

    @Override
    public void write(String text, int offset, int length) {
        if (answer.isHolding()) {
            put(CharBuffer.wrap(text, offset, offset + length), false);
        } else {
            answer.passing();
            target.write(text, offset, length);
        }
    }

    @Override
    public void println() {
        if (answer.isHolding()) {
            put(CharBuffer.wrap(System.lineSeparator()), true);
        } else {
            answer.passing();
            target.println();
        }
    }

    /** {@code ending}: whether these are no more than the end of a line. */
    private void put(CharBuffer chars, boolean ending) {
        answer.lock();
        try {
            HeldAnswer.Fate fate = answer.fate(this, counted().with(chars));
            if (fate == HeldAnswer.Fate.HELD) {
                hold(chars, ending);
                return;
            }
            if (ending) {
                target.println();
            } else {
                target.append(chars);
            }
            if (fate == HeldAnswer.Fate.SENT) {
                target.flush();
            }
        } catch (IOException failure) {
            setError();
        } finally {
            answer.unlock();
        }
    }

    private void hold(CharBuffer chars, boolean ending) {
        if (ending) {
            lineEnds.add(held.length());
        } else {
            held.append(chars);
        }
    }

    private EncodedSize counted() {
        if (size == null) {
            size = new EncodedSize(charset == null ? Charset.defaultCharset() : charset);
        }
        return size;
    }

    @Override
    public long size() {
        return size == null || isEmpty() ? 0 : size.bytes();
    }

    private boolean isEmpty() {
        return held.isEmpty() && lineEnds.isEmpty();
    }

    @Override
    public void pass() {
        if (isEmpty()) {
            return;
        }
        String text = held.toString();
        List<Integer> ends = List.copyOf(lineEnds);
        drop();
        int from = 0;
        for (int end : ends) {
            target.write(text, from, end - from);
            target.println();
            from = end;
        }
        target.write(text, from, text.length() - from);
    }

    @Override
    public void drop() {
        held.setLength(0);
        lineEnds.clear();
        size = null;
    }

    @Override
    public void flush() {
        send();
        target.flush();
    }

    @Override
    public void close() {
        send();
        target.close();
    }

    private void send() {
        try {
            if (answer.isFlushing()) {
                answer.send();
            }
        } catch (IOException failure) {
            setError();
        }
    }

    /** Asking flushes. */
    @Override
    public boolean checkError() {
        flush();
        return super.checkError();
    }
}
