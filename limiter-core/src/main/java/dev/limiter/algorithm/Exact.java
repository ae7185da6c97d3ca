package dev.limiter.algorithm;

import java.math.BigInteger;

/** Integer arithmetic without overflow and with defined rounding. */
final class Exact {

    private Exact() {}

    /** Returns {@code a x b / c}, rounded down; a and b not negative, c positive, the result below 2<sup>63</sup>. */
    static long mulDiv(long a, long b, long c) {
        long low = a * b;
        return Math.multiplyHigh(a, b) == 0 && low >= 0
                ? low / c
                : big(a, b).divide(big(c)).longValueExact();
    }

    /** Returns {@code a x b / c}, rounded up; a and b not negative, c positive, the result below 2<sup>63</sup>. */
    static long mulDivUp(long a, long b, long c) {
        long low = a * b;
        return Math.multiplyHigh(a, b) == 0 && low >= 0
                ? ceilDiv(low, c)
                : big(a, b).add(big(c - 1)).divide(big(c)).longValueExact();
    }

    /** Returns {@code a / b}, rounded up; b positive. */
    static long ceilDiv(long a, long b) {
        return -Math.floorDiv(-a, b);
    }

    static BigInteger big(long a) {
        return BigInteger.valueOf(a);
    }

    private static BigInteger big(long a, long b) {
        return big(a).multiply(big(b));
    }
}
