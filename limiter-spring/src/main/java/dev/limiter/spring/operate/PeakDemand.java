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
 * Records the peak demand of each key in one window, and suggests the limit that would have rejected a share of the
 * keys. For many keys, it follows a sample: keys with a number of leading zero bits in their hash. The number increases
 * when the sample is full. Thread-safe (locks); bounded in size.
 *
 * @see <a href="https://doi.org/10.1007/BF02241657">Flajolet: On Adaptive Sampling, 1990</a>
 */
public final class PeakDemand {

    /** The most keys in the sample. Even when it is half full, a thousandth of it is some thirty keys. */
    static final int SAMPLE = 1 << 16;

    /** Stands for no tier; no tier can have this name. */
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
     * A limit that fits the recorded demand.
     *
     * @param limit permits per window
     * @param keys the number of keys, estimated if they were sampled
     * @param requests the number of requests
     */
    public record Suggestion(long limit, long keys, long requests) {}

    /** {@code window}: longer than zero; windows start at its multiples since the epoch. */
    public PeakDemand(Duration window) {
        this.windowNanos = window.toNanos();
    }

    /**
     * Adds a request; {@code time} is in epoch nanoseconds, and must not go back to an earlier window.
     *
     * @param tier the tier that applied; null if it was the rule's own
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

    /** Returns the tiers with requests. */
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
     * Returns the smallest limit that would have rejected at most a share of the keys in any window; 0 without keys.
     * Considers keys that were last in the given tier.
     *
     * @param share from 0 to 1
     * @param tier null for keys without a tier
     */
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
