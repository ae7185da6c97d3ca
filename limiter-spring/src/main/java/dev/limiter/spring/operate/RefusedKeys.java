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
 * Which keys were refused most often in the last minutes, by all rules or one; also by rules that only watch. Thread-safe,
 * and of a fixed size: {@value #COUNTERS} counters a minute, whatever comes.
 */
public final class RefusedKeys implements RateLimitListener {

    /** Of one minute, in all stripes. */
    static final int COUNTERS = 1024;

    private static final int STRIPES = 8;
    private static final Set<Outcome> REFUSED =
            EnumSet.of(Outcome.REJECTED, Outcome.BANNED, Outcome.SHADOW_REJECTED, Outcome.FAILED_CLOSED);

    private final RecentMinutes<List<SpaceSaving<RuleKey>>> minutes;
    private final KeyHash hash;

    private record RuleKey(String rule, String key) {}

    /**
     * A key that was refused.
     *
     * @param rule by whom
     * @param key as the storage has it; it may hold what a client keeps secret
     * @param keyHash its hash
     * @param refusals how often, or somewhat less
     * @param error how much less, at most
     */
    public record RefusedKey(String rule, String key, String keyHash, long refusals, long error) {}

    public RefusedKeys(KeyHash hash) {
        this.hash = hash;
        this.minutes = new RecentMinutes<>(() -> IntStream.range(0, STRIPES)
                .mapToObj(i -> new SpaceSaving<RuleKey>(COUNTERS / STRIPES))
                .toList());
    }

    /** Begins another minute when it is time. Called once a second. */
    public void sample() {
        minutes.sample();
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        String key = event.key();
        if (key != null) {
            RuleKey refused = new RuleKey(event.rule(), key);
            SpaceSaving<RuleKey> stripe = minutes.current().get(Math.floorMod(refused.hashCode(), STRIPES));
            synchronized (stripe) {
                stripe.add(refused);
            }
        }
    }

    @Override
    public boolean hears(Outcome outcome) {
        return REFUSED.contains(outcome);
    }

    /**
     * Those that were refused most often in the last five to six minutes, most often first.
     *
     * @param rule of this rule alone; of all if null
     */
    public List<RefusedKey> most(@Nullable String rule, int number) {
        return all(rule)
                .sorted(Comparator.comparingLong(Count<RuleKey>::count).reversed())
                .limit(number)
                .map(counted -> new RefusedKey(
                        counted.item().rule(),
                        counted.item().key(),
                        hash.of(counted.item().key()),
                        counted.count(),
                        counted.error()))
                .toList();
    }

    /** The key with this {@link KeyHash}, if it was refused often enough to be remembered. */
    public Optional<String> find(String rule, String keyHash) {
        return all(rule)
                .map(counted -> counted.item().key())
                .filter(key -> hash.of(key).equals(keyHash))
                .findFirst();
    }

    private Stream<Count<RuleKey>> all(@Nullable String rule) {
        Map<RuleKey, Count<RuleKey>> sums = new HashMap<>();
        for (List<SpaceSaving<RuleKey>> minute : minutes.all()) {
            for (SpaceSaving<RuleKey> stripe : minute) {
                List<Count<RuleKey>> counts;
                synchronized (stripe) {
                    counts = stripe.counts();
                }
                for (Count<RuleKey> count : counts) {
                    sums.merge(count.item(), count, RefusedKeys::sum);
                }
            }
        }
        return sums.values().stream()
                .filter(refused -> rule == null || refused.item().rule().equals(rule));
    }

    private static Count<RuleKey> sum(Count<RuleKey> one, Count<RuleKey> other) {
        return new Count<>(one.item(), one.count() + other.count(), one.error() + other.error());
    }
}
