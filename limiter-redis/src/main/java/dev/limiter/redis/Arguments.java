package dev.limiter.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Builds arguments that scripts unpack: big-endian, for {@code struct.unpack('>…')}. Not thread-safe. */
final class Arguments {

    private ByteBuffer buffer;

    public Arguments(int capacity) {
        buffer = ByteBuffer.allocate(capacity);
    }

    /** Appends format {@code d}: integers up to 2<sup>53</sup> are exact. */
    public Arguments number(long value) {
        room(Double.BYTES).putDouble((double) value);
        return this;
    }

    /** Appends format {@code B}. */
    public Arguments octet(int value) {
        room(1).put((byte) value);
        return this;
    }

    Arguments bytes(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    private ByteBuffer room(int length) {
        if (buffer.remaining() < length) {
            byte[] larger = Arrays.copyOf(buffer.array(), 2 * buffer.capacity() + length);
            buffer = ByteBuffer.wrap(larger).position(buffer.position());
        }
        return buffer;
    }

    public byte[] toArray() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
