package dev.limiter.spring.web.settle;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;

/** How many bytes characters become. Each may be half of one that takes two. */
final class EncodedSize extends OutputStream {

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

    /** The size of all characters so far. */
    long bytes() {
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
