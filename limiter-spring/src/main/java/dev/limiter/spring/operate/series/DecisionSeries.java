package dev.limiter.spring.operate.series;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.operate.DecisionCounts;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntSupplier;

/**
 * What rules permitted and refused in each of the last {@value SecondsRing#SECONDS} seconds: the differences between two
 * samples of {@link DecisionCounts}, so that a decision pays nothing. The {@value #MOST_RULES} rules with the most decisions
 * have a series of their own, and all rules together have one. Thread-safe, and of a fixed size for each rule.
 */
public final class DecisionSeries {

    /** How many rules have a series of their own. */
    public static final int MOST_RULES = 100;

    private static final Set<Outcome> PERMITTED =
            EnumSet.of(Outcome.PERMITTED, Outcome.SHADOW_REJECTED, Outcome.FAILED_OPEN, Outcome.FAILED_LOCAL);
    private static final Set<Outcome> REFUSED =
            EnumSet.of(Outcome.REJECTED, Outcome.BANNED, Outcome.DENIED, Outcome.FAILED_CLOSED);

    private final DecisionCounts counts;
    private final IntSupplier waiting;
    private final String run = UUID.randomUUID().toString();
    private final Map<String, Count> before = new HashMap<>();
    private final Map<String, Series> rules = new HashMap<>();
    private final Series all = new Series();
    private final SecondsRing waited = new SecondsRing();
    private long sample;

    private record Count(long permitted, long refused) {

        static final Count NONE = new Count(0, 0);

        Count minus(Count other) {
            return new Count(permitted - other.permitted, refused - other.refused);
        }

        Count plus(Count other) {
            return new Count(permitted + other.permitted, refused + other.refused);
        }

        long decisions() {
            return permitted + refused;
        }
    }

    private static final class Series {

        private final SecondsRing permitted = new SecondsRing();
        private final SecondsRing refused = new SecondsRing();

        void set(long sample, Count count) {
            permitted.set(sample, count.permitted());
            refused.set(sample, count.refused());
        }

        long decisions() {
            return permitted.sum() + refused.sum();
        }

        Map<String, Object> range(long from, long to) {
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("permitted", permitted.range(from, to));
            body.put("refused", refused.range(from, to));
            return body;
        }
    }

    /** {@code waiting}: how many requests wait for their turn now. */
    public DecisionSeries(DecisionCounts counts, IntSupplier waiting) {
        this.counts = counts;
        this.waiting = waiting;
        counts.names().forEach(name -> before.put(name, count(name)));
    }

    private Count count(String name) {
        return new Count(counts.sum(name, PERMITTED), counts.sum(name, REFUSED));
    }

    /** Adds the decisions since the last sample. Called once a second. */
    public synchronized void sample() {
        sample++;
        Map<String, Count> news = news();
        rules.forEach((name, series) -> series.set(sample, news.getOrDefault(name, Count.NONE)));
        news.forEach((name, count) -> {
            if (!rules.containsKey(name) && hasRoomFor(count)) {
                Series series = new Series();
                series.set(sample, count);
                rules.put(name, series);
            }
        });
        all.set(sample, news.values().stream().reduce(Count.NONE, Count::plus));
        waited.set(sample, waiting.getAsInt());
    }

    private Map<String, Count> news() {
        Map<String, Count> news = new HashMap<>();
        for (String name : counts.names()) {
            Count now = count(name);
            Count last = before.put(name, now);
            Count since = now.minus(last == null ? Count.NONE : last);
            if (since.decisions() > 0) {
                news.put(name, since);
            }
        }
        return news;
    }

    /** Has the rule with the fewest decisions leave for one that had more of them in a second. */
    private boolean hasRoomFor(Count newcomer) {
        if (rules.size() < MOST_RULES) {
            return true;
        }
        Map.Entry<String, Series> quietest = rules.entrySet().stream()
                .min((a, b) ->
                        Long.compare(a.getValue().decisions(), b.getValue().decisions()))
                .orElseThrow();
        return quietest.getValue().decisions() < newcomer.decisions() && rules.remove(quietest.getKey()) != null;
    }

    /**
     * The samples after one, the oldest first, at most {@value SecondsRing#SECONDS}.
     *
     * @param after the number of a sample, as {@code sample} tells it; 0 for all
     */
    public synchronized Map<String, Object> after(long after) {
        long first = Math.max(1, Math.max(sample - SecondsRing.SECONDS, Math.min(after, sample)) + 1);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("run", run);
        body.put("sample", sample);
        body.put("all", all.range(first, sample));
        body.put("waiting", waited.range(first, sample));
        Map<String, Object> series = new TreeMap<>();
        rules.forEach((name, ofRule) -> series.put(name, ofRule.range(first, sample)));
        body.put("rules", series);
        return body;
    }
}
