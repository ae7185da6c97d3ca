package dev.limiter.spring.operate.series;

import static java.util.Comparator.comparing;

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
import java.util.function.Supplier;

/**
 * What rules permitted and refused in each of the last {@value SecondsRing#SECONDS} seconds: the differences between two
 * samples of {@link DecisionCounts}, so that a decision pays nothing; and what other instances tell of themselves, in the
 * sample after they have been heard. The {@value #MOST_RULES} rules with the most decisions have a series of their own, all
 * rules together have one, and so has each instance. Thread-safe, and of a fixed size for each rule and instance.
 */
public final class DecisionSeries {

    /** For so many samples, what an instance has told of requests that wait is taken to be true. */
    private static final int FRESH = 3;

    /** How many rules have a series of their own. */
    public static final int MOST_RULES = 100;

    /** How many other instances are heard. */
    static final int MOST_INSTANCES = 200;

    /** An instance that has told nothing in so many samples is gone. */
    static final int GONE_AFTER = 30;

    private static final Set<Outcome> PERMITTED =
            EnumSet.of(Outcome.PERMITTED, Outcome.SHADOW_REJECTED, Outcome.FAILED_OPEN, Outcome.FAILED_LOCAL);
    private static final Set<Outcome> REFUSED =
            EnumSet.of(Outcome.REJECTED, Outcome.BANNED, Outcome.DENIED, Outcome.FAILED_CLOSED);

    private final DecisionCounts counts;
    private final IntSupplier waiting;
    private final Supplier<String> name;
    private final String run = UUID.randomUUID().toString();
    private final Map<String, Count> before = new HashMap<>();
    private final Map<String, Series> rules = new HashMap<>();
    private final Series all = new Series();
    private final SecondsRing waited = new SecondsRing();
    private final Map<String, Instance> instances = new HashMap<>();

    /** Of rules, told by other instances since the last sample. */
    private final Map<String, Count> heard = new HashMap<>();

    private boolean shared;
    private long sample;

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

    /** One instance, as far as it is known. */
    private static final class Instance {

        private final Series decided = new Series();
        private final SecondsRing waited = new SecondsRing();
        private String name = "";
        private Count pending = Count.NONE;
        private int waiting;
        private long number = -1;
        private long heardAt;

        /** Returns how many wait, as of now. */
        int sample(long sample) {
            decided.set(sample, pending);
            pending = Count.NONE;
            int now = sample - heardAt <= FRESH ? waiting : 0;
            waited.set(sample, now);
            return now;
        }

        Map<String, Object> range(long from, long to) {
            Map<String, Object> body = decided.range(from, to);
            body.put("waiting", waited.range(from, to));
            return body;
        }
    }

    /** Of an instance that nobody else hears. */
    public DecisionSeries(DecisionCounts counts, IntSupplier waiting) {
        this(counts, waiting, () -> "");
    }

    /**
     * @param waiting how many requests wait for their turn now
     * @param name of this instance, for people
     */
    public DecisionSeries(DecisionCounts counts, IntSupplier waiting, Supplier<String> name) {
        this.counts = counts;
        this.waiting = waiting;
        this.name = name;
        instances.put(run, new Instance());
        counts.names().forEach(rule -> before.put(rule, count(rule)));
    }

    private Count count(String name) {
        return new Count(counts.sum(name, PERMITTED), counts.sum(name, REFUSED));
    }

    /** Adds the decisions since the last sample. Called once a second. */
    public synchronized void sample() {
        next();
    }

    /** The same, for other instances: the text is for {@link #hear} of each of them. */
    public synchronized String share() {
        shared = true;
        return next().text();
    }

    private InstanceSample next() {
        sample++;
        InstanceSample own = new InstanceSample(run, name.get(), sample, waiting.getAsInt(), news());
        hear(own);
        rules.forEach((rule, series) -> series.set(sample, heard.getOrDefault(rule, Count.NONE)));
        heard.forEach((rule, count) -> {
            if (!rule.equals(InstanceSample.OTHERS) && !rules.containsKey(rule) && hasRoomFor(count)) {
                Series series = new Series();
                series.set(sample, count);
                rules.put(rule, series);
            }
        });
        all.set(sample, heard.values().stream().reduce(Count.NONE, Count::plus));
        heard.clear();
        waited.set(
                sample,
                instances.values().stream()
                        .mapToInt(instance -> instance.sample(sample))
                        .sum());
        instances.values().removeIf(instance -> sample - instance.heardAt > GONE_AFTER);
        return own;
    }

    /** Adds what another instance has shared; nothing if that is known, of this instance, or no such text. */
    public synchronized void hear(String text) {
        InstanceSample.parse(text).filter(other -> !other.run().equals(run)).ifPresent(this::hear);
    }

    private void hear(InstanceSample told) {
        if (!instances.containsKey(told.run()) && instances.size() > MOST_INSTANCES) {
            return;
        }
        Instance instance = instances.computeIfAbsent(told.run(), another -> new Instance());
        if (told.number() > instance.number) {
            instance.number = told.number();
            instance.name = told.name();
            instance.waiting = told.waiting();
            instance.heardAt = sample;
            told.rules().forEach((rule, count) -> {
                heard.merge(rule, count, Count::plus);
                instance.pending = instance.pending.plus(count);
            });
        }
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
        if (shared) {
            body.put("instances", instances(first));
        }
        return body;
    }

    private Map<String, Object> instances(long first) {
        Map<String, Object> body = new LinkedHashMap<>();
        instances.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(comparing(instance -> instance.name)))
                .forEach(entry -> {
                    Map<String, Object> instance = new LinkedHashMap<>();
                    instance.put("name", entry.getValue().name);
                    instance.put("own", entry.getKey().equals(run));
                    instance.putAll(entry.getValue().range(first, sample));
                    body.put(entry.getKey(), instance);
                });
        return body;
    }
}
