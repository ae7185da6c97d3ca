package dev.limiter.spring.web;

import java.io.PrintWriter;
import java.nio.charset.CharsetEncoder;

/** Tells its response before characters may be sent, each taken for as many bytes as it can have. */
final class SettlingWriter extends PrintWriter {

    private final SettlingResponse response;
    private final PrintWriter target;
    private final double bytesPerChar;

    SettlingWriter(SettlingResponse response, PrintWriter target, CharsetEncoder encoder) {
        super(target);
        this.response = response;
        this.target = target;
        this.bytesPerChar = encoder.maxBytesPerChar();
    }

    private void expect(int chars) {
        response.write((long) Math.ceil(chars * bytesPerChar));
    }

    @Override
    public void write(int value) {
        expect(1);
        super.write(value);
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        expect(length);
        super.write(chars, offset, length);
    }

    @Override
    public void write(String text, int offset, int length) {
        expect(length);
        super.write(text, offset, length);
    }

    /** As the container ends lines. */
    @Override
    public void println() {
        expect(2);
        target.println();
    }

    @Override
    public void flush() {
        response.send(response.getStatus());
        super.flush();
    }

    @Override
    public void close() {
        response.send(response.getStatus());
        super.close();
    }

    /** Asking flushes. */
    @Override
    public boolean checkError() {
        response.send(response.getStatus());
        return super.checkError();
    }
}
