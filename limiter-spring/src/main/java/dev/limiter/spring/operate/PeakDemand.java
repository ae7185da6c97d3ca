package dev.limiter.spring.operate;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The most that each key has asked for in one window, and the limit that would have rejected a share of the keys. Of
 * many keys, it follows a sample: those whose hash begins with so many zeros, one more each time there is no room.
 * Thread-safe, by a lock; of a fixed size.
 *
 * @see <a href="https://doi.org/10.1007/BF02241657">Flajolet: On Adaptive Sampling, 1990</a>
 */
public final class PeakDemand {

    /** The size of the sample in keys: a thousandth of half of them is some thirty keys. */
    static final int SAMPLE = 1 << 16;

    /** No tier can have this name. */
    private static final String NO_TIER = "";

    private final long windowNanos;
    private final Map<String, Demand> sample = new HashMap<>();
    private final Map<String, Long> requests = new HashMap<>();
    private int zeros;

    private static final class Demand {

        @Nullable
        String tier;

        long window;
        long permits;
        long peak;
    }

    /**
     * A limit that suits the keys that were seen.
     *
     * @param limit permits per window
     * @param keys how many keys there were, exactly or by the sample
     * @param requests that were seen
     */
    public record Suggestion(long limit, long keys, long requests) {}

    /** {@code window}: more than zero; windows begin at its multiples since 1970. */
    public PeakDemand(Duration window) {
        this.windowNanos = window.toNanos();
    }

    /** Adds permits of a key in no tier. */
    public void add(String key, long permits, long time) {
        add(key, null, permits, time);
    }

    /**
     * Adds a request; time is in epoch nanoseconds, and does not go back to an earlier window.
     *
     * @param tier the configured tier whose limit applied; null if it was the rule's own
     */
    public synchronized void add(String key, @Nullable String tier, long permits, long time) {
        requests.merge(name(tier), 1L, Long::sum);
        if (!isSampled(key)) {
            return;
        }
        Demand demand = sample.computeIfAbsent(key, absent -> new Demand());
        demand.tier = tier;
        long window = Math.floorDiv(time, windowNanos);
        if (window > demand.window) {
            demand.window = window;
            demand.permits = 0;
        }
        demand.permits += permits;
        demand.peak = Math.max(demand.peak, demand.permits);
        if (sample.size() > SAMPLE) {
            zeros++;
            sample.keySet().removeIf(each -> !isSampled(each));
        }
    }

    /** The tiers that were seen. */
    public synchronized Set<String> tiers() {
        Set<String> tiers = new TreeSet<>(requests.keySet());
        tiers.remove(NO_TIER);
        return tiers;
    }

    private static String name(@Nullable String tier) {
        return tier == null ? NO_TIER : tier;
    }

    private boolean isSampled(String key) {
        return zeros == 0 || hash(key) >>> (Long.SIZE - zeros) == 0;
    }

    private static long hash(String key) {
        long hash = 0;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 32;
        }
        hash *= 0xd6e8feb86659fd93L;
        return hash ^ hash >>> 32 ^ hash << 32;
    }

    /**
     * The smallest limit that would have rejected at most that share of the keys in any window; 0 if none was seen. Of
     * the keys in no tier.
     *
     * @param share from 0 to 1
     */
    public Suggestion suggest(double share) {
        return suggest(share, null);
    }

    /** {@link #suggest(double)} of the keys that were in a tier last. */
    public synchronized Suggestion suggest(double share, @Nullable String tier) {
        long[] peaks = sample.values().stream()
                .filter(demand -> Objects.equals(demand.tier, tier))
                .map(demand -> demand.peak)
                .sorted(Comparator.reverseOrder())
                .mapToLong(Long::longValue)
                .toArray();
        int rejected = Math.min((int) (share * peaks.length), peaks.length - 1);
        return new Suggestion(
                peaks.length == 0 ? 0 : peaks[rejected],
                (long) peaks.length << zeros,
                requests.getOrDefault(name(tier), 0L));
    }
}
