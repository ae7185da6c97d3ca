package dev.limiter.benchmarks.redis;

/** One of those that are compared. Thread-safe. */
record Contender(String name, Decider decider) {

    /** Asks Redis, and waits for the answer. */
    interface Decider {

        /** Takes one permit of the key of that number; whether there was one. */
        boolean decide(int key) throws Exception;
    }
}
