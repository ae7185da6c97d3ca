package dev.limiter.spring.operate.series;

/**
 * Decisions of some seconds: zero or more.
 *
 * @param waiting how many requests waited at their end
 */
record Count(long permitted, long refused, long waiting) {

    static final Count NONE = new Count(0, 0, 0);

    Count plus(Count other) {
        return new Count(permitted + other.permitted, refused + other.refused, waiting + other.waiting);
    }

    long decisions() {
        return permitted + refused;
    }
}
