package dev.limiter.spring.operate;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.SpaceSaving.Count;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that were rejected most often in the last minutes, by all rules or one, including shadow rules.
 * Thread-safe; bounded to {@value #COUNTERS} counters a minute, for any number of keys.
 */
public final class RejectedKeys implements RateLimitListener {

    /** The counters of one minute, in all stripes. */
    static final int COUNTERS = 1024;

    private static final int STRIPES = 8;

    /** The most characters of a principal's name. */
    private static final int LONGEST_NAME = 200;

    private static final Set<Outcome> REJECTED =
            EnumSet.of(Outcome.REJECTED, Outcome.BANNED, Outcome.SHADOW_REJECTED, Outcome.FAILED_CLOSED);

    private final RecentMinutes<List<SpaceSaving<Rejected>>> minutes;
    private final KeyHash hash;

    /** The key of a rule, with the client of its last request. */
    private record Rejected(
            String rule,
            String key,
            @Nullable String address,
            @Nullable String principal) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rejected rejected && rule.equals(rejected.rule) && key.equals(rejected.key);
        }

        @Override
        public int hashCode() {
            return 31 * rule.hashCode() + key.hashCode();
        }
    }

    /**
     * A key that was rejected.
     *
     * @param rule the rule that rejected
     * @param key the key as storages contain it; it may contain secrets
     * @param keyHash the hash of the key
     * @param rejections the number of rejections, possibly too high
     * @param error the most by which the number is too high
     * @param address the client of the last rejected request; null for a call without a request
     * @param principal the user of that request, cut after {@value #LONGEST_NAME} characters; null without a user
     */
    public record RejectedKey(
            String rule,
            String key,
            String keyHash,
            long rejections,
            long error,
            @Nullable String address,
            @Nullable String principal) {}

    public RejectedKeys(KeyHash hash) {
        this.hash = hash;
        this.minutes = new RecentMinutes<>(() -> IntStream.range(0, STRIPES)
                .mapToObj(i -> new SpaceSaving<Rejected>(COUNTERS / STRIPES))
                .toList());
    }

    /** Starts another minute when it is time. Called once a second. */
    public void sample() {
        minutes.sample();
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        String key = event.key();
        if (key != null) {
            Rejected rejected = new Rejected(event.rule(), key, event.address(), cut(event.principal()));
            SpaceSaving<Rejected> stripe = minutes.current().get(Math.floorMod(rejected.hashCode(), STRIPES));
            synchronized (stripe) {
                stripe.add(rejected);
            }
        }
    }

    private static @Nullable String cut(@Nullable String name) {
        return name == null || name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    }

    @Override
    public boolean hears(Outcome outcome) {
        return REJECTED.contains(outcome);
    }

    /**
     * Returns the keys rejected most often in the last five to six minutes, most often first.
     *
     * @param rule only keys of this rule; null for all rules
     */
    public List<RejectedKey> most(@Nullable String rule, int number) {
        return all(rule)
                .sorted(Comparator.comparingLong(Count<Rejected>::count).reversed())
                .limit(number)
                .map(counted -> new RejectedKey(
                        counted.item().rule(),
                        counted.item().key(),
                        hash.of(counted.item().key()),
                        counted.count(),
                        counted.error(),
                        counted.item().address(),
                        counted.item().principal()))
                .toList();
    }

    /** Returns the key with this {@link KeyHash}, if it is among the most rejected ones. */
    public Optional<String> find(String rule, String keyHash) {
        return all(rule)
                .map(counted -> counted.item().key())
                .filter(key -> hash.of(key).equals(keyHash))
                .findFirst();
    }

    private Stream<Count<Rejected>> all(@Nullable String rule) {
        Map<Rejected, Count<Rejected>> sums = new HashMap<>();
        for (List<SpaceSaving<Rejected>> minute : minutes.all()) {
            for (SpaceSaving<Rejected> stripe : minute) {
                List<Count<Rejected>> counts;
                synchronized (stripe) {
                    counts = stripe.counts();
                }
                for (Count<Rejected> count : counts) {
                    sums.merge(count.item(), count, RejectedKeys::sum);
                }
            }
        }
        return sums.values().stream()
                .filter(rejected -> rule == null || rejected.item().rule().equals(rule));
    }

    private static Count<Rejected> sum(Count<Rejected> one, Count<Rejected> other) {
        return new Count<>(other.item(), one.count() + other.count(), one.error() + other.error());
    }
}
