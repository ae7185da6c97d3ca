package dev.limiter.spring.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * Holds the first characters of an answer as long as its {@link SettlingResponse} says so. The container encodes them;
 * here is only counted how many bytes that will be.
 */
final class SettlingWriter extends PrintWriter implements SettlingResponse.Body {

    private final SettlingResponse response;
    private final PrintWriter target;
    private final Charset charset;
    private final StringBuilder held = new StringBuilder(0);
    private @Nullable EncodedSize size;

    SettlingWriter(SettlingResponse response, PrintWriter target, Charset charset) {
        super(target);
        this.response = response;
        this.target = target;
        this.charset = charset;
    }

    @Override
    public void write(int value) {
        write(new char[] {(char) value}, 0, 1);
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        if (response.isHolding()) {
            put(CharBuffer.wrap(chars, offset, length));
        } else {
            target.write(chars, offset, length);
        }
    }

    @Override
    public void write(String text, int offset, int length) {
        if (response.isHolding()) {
            put(CharBuffer.wrap(text, offset, offset + length));
        } else {
            target.write(text, offset, length);
        }
    }

    private void put(CharBuffer chars) {
        response.lock();
        try {
            size = size == null ? new EncodedSize(charset) : size;
            switch (response.fate(size.with(chars))) {
                case HELD -> held.append(chars);
                case BUFFERED -> target.append(chars);
                case SENT -> target.append(chars).flush();
            }
        } catch (IOException failure) {
            setError();
        } finally {
            response.unlock();
        }
    }

    @Override
    public void println() {
        if (response.isHolding()) {
            write(System.lineSeparator());
        } else {
            target.println();
        }
    }

    @Override
    public boolean isEmpty() {
        return held.isEmpty();
    }

    @Override
    public void pass() {
        if (!held.isEmpty()) {
            String text = held.toString();
            drop();
            target.write(text);
        }
    }

    @Override
    public void drop() {
        held.setLength(0);
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
            response.send();
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

    /** How many bytes characters become. Each may be half of one that takes two. */
    private static final class EncodedSize extends OutputStream {

        private final Writer encoder;
        private long bytes;

        EncodedSize(Charset charset) {
            encoder = new OutputStreamWriter(this, charset);
        }

        /** The size of all characters so far, with these. */
        long with(CharBuffer chars) {
            try {
                encoder.append(chars).flush();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            return bytes;
        }

        @Override
        public void write(int value) {
            bytes++;
        }

        @Override
        public void write(byte[] encoded, int offset, int length) {
            bytes += length;
        }
    }
}
