package dev.limiter.redis;

/** A client for tests: all keys are in one slot, and closing does nothing. */
abstract class FakeRedis implements Redis {

    @Override
    public int slot(byte[] key) {
        return 0;
    }

    @Override
    public void close() {}
}
