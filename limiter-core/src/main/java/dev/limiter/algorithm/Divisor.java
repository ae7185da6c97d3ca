package dev.limiter.algorithm;

/**
 * Divides by a constant, by multiplying with its reciprocal; a third of the cost of a division.
 *
 * <p>With {@code L = floor(log2 d)} and {@code m = floor((2^(63 + L) - 1) / d)}, {@code n * m / 2^(63 + L)} is at most
 * one below {@code n / d} for every {@code 0 <= n < 2^62}; one comparison corrects that. (Granlund and Montgomery,
 * "Division by Invariant Integers using Multiplication", 1994.)
 *
 * <p>A limit that divides on every decision copies {@link #reciprocal} and {@link #shift} to its own fields, which
 * saves a dependent load.
 */
final class Divisor {

    private final long divisor;
    private final long reciprocal;
    private final int shift;

    /** Creates a divisor from 1 to 2<sup>60</sup>. */
    Divisor(long divisor) {
        this.divisor = divisor;
        this.shift = shift(divisor);
        this.reciprocal = reciprocal(divisor);
    }

    /** Returns {@code L} of the formula. */
    static int shift(long divisor) {
        return 63 - Long.numberOfLeadingZeros(divisor);
    }

    /** Returns {@code m} of the formula. */
    static long reciprocal(long divisor) {
        return Exact.big(1)
                .shiftLeft(63 + shift(divisor))
                .subtract(Exact.big(1))
                .divide(Exact.big(divisor))
                .longValueExact();
    }

    /** Returns {@code n / divisor} rounded down, for {@code 0 <= n < 2^62}. */
    static long floor(long n, long divisor, long reciprocal, int shift) {
        long quotient = Math.multiplyHigh(n << 1, reciprocal) >> shift;
        return n - quotient * divisor >= divisor ? quotient + 1 : quotient;
    }

    /** Returns {@code n / divisor} rounded down, for {@code 0 <= n < 2^62}. */
    long floor(long n) {
        return floor(n, divisor, reciprocal, shift);
    }

    /** Returns {@code n / divisor} rounded down, for {@code -2^61 < n < 2^61}. */
    long floorSigned(long n) {
        return n >= 0 ? floor(n) : -floor(-n + divisor - 1);
    }

    /** Returns {@code n / divisor} rounded up, for {@code -2^61 < n < 2^61}. */
    long ceilSigned(long n) {
        return n > 0 ? floor(n + divisor - 1, divisor, reciprocal, shift) : -floor(-n, divisor, reciprocal, shift);
    }
}
