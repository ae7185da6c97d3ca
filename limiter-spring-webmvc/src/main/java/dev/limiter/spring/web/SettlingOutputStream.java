package dev.limiter.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** Tells its response before bytes may be sent. */
final class SettlingOutputStream extends ServletOutputStream {

    private final SettlingResponse response;
    private final ServletOutputStream target;

    SettlingOutputStream(SettlingResponse response, ServletOutputStream target) {
        this.response = response;
        this.target = target;
    }

    @Override
    public void write(int value) throws IOException {
        response.write(1);
        target.write(value);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        response.write(length);
        target.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        response.send(response.getStatus());
        target.flush();
    }

    @Override
    public void close() throws IOException {
        response.send(response.getStatus());
        target.close();
    }

    @Override
    public boolean isReady() {
        return target.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        response.expectNoBuffer();
        target.setWriteListener(listener);
    }
}
