package dev.limiter.spring.compile;

import java.math.BigDecimal;

/**
 * The share of the keys for which a rule rejects; for the others it only watches. The parts of a key that tell clients
 * apart determine its side: it is the same in all instances, at all endpoints and after a restart, and a larger share
 * includes the keys of a smaller one. Immutable, thread-safe.
 *
 * @param hundredths of a percent, 1 to 10,000
 */
public record Rollout(int hundredths) {

    /** All keys. */
    public static final Rollout ALL = new Rollout(10_000);

    /** Whether there are keys for which the rule only watches. */
    public boolean isPartial() {
        return hundredths < ALL.hundredths;
    }

    /** {@code client}: as {@link dev.limiter.spring.key.ResolvedKey#client}. */
    boolean contains(String client) {
        return Long.remainderUnsigned(hash(client), ALL.hundredths) < hundredths;
    }

    /**
     * FNV-1a over the chars, which differ in few bits, mixed by the finalizer of SplitMix64.
     *
     * @see <a href="https://doi.org/10.1145/2714064.2660195">Steele, Lea, Flood: Fast Splittable Pseudorandom Number
     *     Generators, 2014</a>
     */
    private static long hash(String key) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ hash >>> 27) * 0x94d049bb133111ebL;
        return hash ^ hash >>> 31;
    }

    /** As in properties. */
    @Override
    public String toString() {
        return BigDecimal.valueOf(hundredths, 2).stripTrailingZeros().toPlainString() + "%";
    }
}
