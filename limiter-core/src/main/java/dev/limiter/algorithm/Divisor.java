package dev.limiter.algorithm;

/**
 * Divides by a number that is known beforehand, by multiplying with its reciprocal; a third of the cost of a division.
 *
 * <p>With {@code L = floor(log2 d)} and {@code m = floor((2^(63 + L) - 1) / d)}, {@code n * m / 2^(63 + L)} is at most
 * one below {@code n / d} for every {@code 0 <= n < 2^62}, which one comparison mends. (Granlund and Montgomery,
 * "Division by Invariant Integers using Multiplication", 1994.)
 *
 * <p>A limit that divides on every decision keeps the {@linkplain #reciprocal} and {@linkplain #shift} in fields of its
 * own, which spares a dependent load.
 */
final class Divisor {

    private final long divisor;
    private final long reciprocal;
    private final int shift;

    /** {@code divisor}: from 1 to 2<sup>60</sup>. */
    Divisor(long divisor) {
        this.divisor = divisor;
        this.shift = shift(divisor);
        this.reciprocal = reciprocal(divisor);
    }

    /** {@code L} of the formula. */
    static int shift(long divisor) {
        return 63 - Long.numberOfLeadingZeros(divisor);
    }

    /** {@code m} of the formula. */
    static long reciprocal(long divisor) {
        return Exact.big(1)
                .shiftLeft(63 + shift(divisor))
                .subtract(Exact.big(1))
                .divide(Exact.big(divisor))
                .longValueExact();
    }

    /** {@code n / divisor} rounded down, for {@code 0 <= n < 2^62}. */
    static long floor(long n, long divisor, long reciprocal, int shift) {
        long quotient = Math.multiplyHigh(n << 1, reciprocal) >> shift;
        return n - quotient * divisor >= divisor ? quotient + 1 : quotient;
    }

    /** {@code n / divisor} rounded down, for {@code 0 <= n < 2^62}. */
    long floor(long n) {
        return floor(n, divisor, reciprocal, shift);
    }

    /** The same for {@code -2^61 < n < 2^61}. */
    long floorSigned(long n) {
        return n >= 0 ? floor(n) : -floor(-n + divisor - 1);
    }

    /** {@code n / divisor} rounded up, for {@code -2^61 < n < 2^61}. */
    long ceilSigned(long n) {
        return n > 0 ? floor(n + divisor - 1, divisor, reciprocal, shift) : -floor(-n, divisor, reciprocal, shift);
    }
}
