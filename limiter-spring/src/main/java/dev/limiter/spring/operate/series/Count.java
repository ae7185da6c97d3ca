package dev.limiter.spring.operate.series;

/** Decisions of some seconds: zero or more. */
record Count(long permitted, long refused) {

    static final Count NONE = new Count(0, 0);

    Count minus(Count other) {
        return new Count(permitted - other.permitted, refused - other.refused);
    }

    Count plus(Count other) {
        return new Count(permitted + other.permitted, refused + other.refused);
    }

    long decisions() {
        return permitted + refused;
    }
}
