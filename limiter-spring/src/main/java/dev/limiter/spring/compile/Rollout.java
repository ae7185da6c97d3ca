package dev.limiter.spring.compile;

import java.math.BigDecimal;

/**
 * The share of keys for which a rule is enforced; for other keys it is a shadow rule. A hash of the key parts that
 * identify the client selects them. So the selection is the same in all instances, at all endpoints and after a
 * restart, and a larger share includes the keys of a smaller one. Immutable, thread-safe.
 *
 * @param hundredths of a percent, 1 to 10,000
 */
public record Rollout(int hundredths) {

    public static final Rollout ALL = new Rollout(10_000);

    /** Returns whether the rule is a shadow rule for some keys. */
    public boolean isPartial() {
        return hundredths < ALL.hundredths;
    }

    /**
     * Returns whether the rule is enforced for a client; {@code client}: see
     * {@link dev.limiter.spring.key.ResolvedKey#client}.
     */
    boolean contains(String client) {
        return Long.remainderUnsigned(hash(client), ALL.hundredths) < hundredths;
    }

    /**
     * FNV-1a over the characters, then the finalizer of SplitMix64 because FNV-1a alone distributes similar keys badly.
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

    /** Returns the percentage as in properties, such as {@code 0.5%}. */
    @Override
    public String toString() {
        return BigDecimal.valueOf(hundredths, 2).stripTrailingZeros().toPlainString() + "%";
    }
}
