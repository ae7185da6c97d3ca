package dev.limiter.spring.web.settle;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Holds the first bytes of an answer as long as its {@link HeldAnswer} says so. */
final class HeldOutputStream extends ServletOutputStream implements HeldAnswer.Body {

    private final HeldAnswer answer;
    private volatile ServletOutputStream target;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream(0);

    HeldOutputStream(HeldAnswer answer, ServletOutputStream target) {
        this.answer = answer;
        this.target = target;
    }

    /** From now on, the container wants the body here. */
    void writeTo(ServletOutputStream other) {
        target = other;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (!answer.isHolding()) {
            answer.passing();
            target.write(bytes, offset, length);
            return;
        }
        answer.lock();
        try {
            switch (answer.fate(this, held.size() + (long) length)) {
                case HELD -> held.write(bytes, offset, length);
                case BUFFERED -> target.write(bytes, offset, length);
                case SENT -> {
                    target.write(bytes, offset, length);
                    target.flush();
                }
            }
        } finally {
            answer.unlock();
        }
    }

    @Override
    public long size() {
        return held.size();
    }

    @Override
    public void pass() throws IOException {
        if (held.size() > 0) {
            // even nothing cannot be written to an answer that is complete
            byte[] bytes = held.toByteArray();
            held.reset();
            target.write(bytes);
        }
    }

    @Override
    public void drop() {
        held.reset();
    }

    @Override
    public void flush() throws IOException {
        if (answer.isFlushing()) {
            answer.send();
        }
        target.flush();
    }

    @Override
    public void close() throws IOException {
        if (answer.isFlushing()) {
            answer.send();
        }
        target.close();
    }

    @Override
    public boolean isReady() {
        return target.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        try {
            answer.expectNoBuffer();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        target.setWriteListener(listener);
    }
}
