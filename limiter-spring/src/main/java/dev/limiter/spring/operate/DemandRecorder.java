package dev.limiter.spring.operate;

import dev.limiter.TimeSource;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.rule.RuleName;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Records the demand of keys for the rules that operators select, {@value #MOST} at most. Thread-safe. */
public final class DemandRecorder implements RateLimitListener {

    static final int MOST = 8;

    private static final Set<Outcome> CHARGED = EnumSet.of(
            Outcome.PERMITTED,
            Outcome.REJECTED,
            Outcome.BANNED,
            Outcome.SHADOW_REJECTED,
            Outcome.FAILED_OPEN,
            Outcome.FAILED_CLOSED,
            Outcome.FAILED_LOCAL);

    private final Map<String, Recording> byRule = new ConcurrentHashMap<>();
    private final TimeSource clock;

    /** The demand for one rule since a time. */
    public record Recording(PeakDemand demand, Duration window, Instant since) {}

    public DemandRecorder(TimeSource clock) {
        this.clock = clock;
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        String key = event.key();
        Recording recording = key == null ? null : byRule.get(RuleName.canonical(event.rule()));
        if (recording != null && key != null) {
            recording.demand().add(key, event.tier(), event.permits(), clock.epochNanos());
        }
    }

    @Override
    public boolean hears(Outcome outcome) {
        return !byRule.isEmpty() && CHARGED.contains(outcome);
    }

    /**
     * Starts recording the demand for a rule, dropping an earlier recording.
     *
     * @throws IllegalArgumentException if {@value #MOST} other rules are recorded
     */
    public synchronized void begin(String rule, Duration window) {
        String canonical = RuleName.canonical(rule);
        if (!byRule.containsKey(canonical) && byRule.size() == MOST) {
            throw new IllegalArgumentException("The demand for " + MOST
                    + " rules is already recorded, which is the maximum. End one of the recordings.");
        }
        Instant now = Instant.EPOCH.plus(Duration.ofNanos(clock.epochNanos()));
        byRule.put(canonical, new Recording(new PeakDemand(window), window, now));
    }

    /** Drops the recordings of all other rules, such as removed ones. */
    public synchronized void retain(Predicate<String> rules) {
        byRule.keySet().removeIf(rule -> !rules.test(rule));
    }

    /** Drops the recording of a rule, if there is one. */
    public synchronized void end(String rule) {
        byRule.remove(RuleName.canonical(rule));
    }

    /** Returns the recording of a rule, if there is one. */
    public Optional<Recording> of(String rule) {
        return Optional.ofNullable(byRule.get(RuleName.canonical(rule)));
    }
}
