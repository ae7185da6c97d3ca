package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Division by multiplication equals the division instruction; every algorithm divides this way. */
class DivisorTests {

    private static final long LARGEST = (1L << 62) - 1;

    @Test
    void dividesLikeTheDivisionInstruction() {
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            long divisor = Math.max(random.nextLong() >>> 4 + random.nextInt(59), 1);
            long n = random.nextLong() >>> 2 + random.nextInt(61);
            agrees(divisor, n);
        }
    }

    @Test
    void isExactWhereTheReciprocalIsFarthestOff() {
        for (int bits = 0; bits < 60; bits++) {
            for (long divisor : new long[] {(1L << bits) - 1, 1L << bits, (1L << bits) + 1}) {
                if (divisor > 0) {
                    long multiple = LARGEST / divisor * divisor;
                    agrees(divisor, LARGEST);
                    agrees(divisor, multiple);
                    agrees(divisor, multiple - 1);
                    agrees(divisor, divisor);
                    agrees(divisor, divisor - 1);
                    agrees(divisor, 0);
                }
            }
        }
    }

    private static void agrees(long divisor, long n) {
        Divisor tested = new Divisor(divisor);
        assertThat(tested.floor(n)).as("%d / %d", n, divisor).isEqualTo(n / divisor);
        long signed = n / 2;
        assertThat(tested.floorSigned(-signed)).isEqualTo(Math.floorDiv(-signed, divisor));
        assertThat(tested.ceilSigned(signed)).isEqualTo(-Math.floorDiv(-signed, divisor));
        assertThat(tested.ceilSigned(-signed)).isEqualTo(-(signed / divisor));
    }
}
