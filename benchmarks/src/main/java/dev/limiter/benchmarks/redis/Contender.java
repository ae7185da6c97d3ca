package dev.limiter.benchmarks.redis;

/** A limiter in the comparison. Thread-safe. */
record Contender(String name, Decider decider) {

    /** Makes one decision in Redis, and blocks until it is known. */
    interface Decider {

        /** Takes one permit of the key with this number, and returns whether there was one. */
        boolean decide(int key) throws Exception;
    }
}
