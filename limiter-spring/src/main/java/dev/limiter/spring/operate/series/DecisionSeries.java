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
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The requests that rules permitted, refused and let wait in each of the last {@value SecondsRing#SECONDS} seconds: the
 * differences between two samples of {@link DecisionCounts}, so that a decision pays nothing. Samples of other
 * instances count in the next own sample. The {@value #MOST_RULES} rules with the most decisions have a series of their
 * own, as do as many resources, all rules together, and each instance. Thread-safe; each series has a fixed size.
 */
public final class DecisionSeries {

    /** How many rules, and how many resources, have a series of their own. */
    public static final int MOST_RULES = 100;

    /** How many other instances are heard. */
    static final int MOST_INSTANCES = 200;

    /** An instance that has told nothing in so many samples is gone. */
    static final int GONE_AFTER = 30;

    /** The number of samples for which the reported waiters of an instance count. */
    private static final int FRESH = 3;

    private static final Set<Outcome> PERMITTED =
            EnumSet.of(Outcome.PERMITTED, Outcome.SHADOW_REJECTED, Outcome.FAILED_OPEN, Outcome.FAILED_LOCAL);
    private static final Set<Outcome> REFUSED =
            EnumSet.of(Outcome.REJECTED, Outcome.BANNED, Outcome.DENIED, Outcome.FAILED_CLOSED);

    private final DecisionCounts counts;
    private final IntSupplier waiting;
    private final ToLongFunction<String> waitingOfRule;
    private final Supplier<String> name;
    private final String run = UUID.randomUUID().toString();
    private final Map<RuleResource, Count> before = new HashMap<>();
    private final BusiestSeries<String> rules = new BusiestSeries<>(MOST_RULES);
    private final BusiestSeries<RuleResource> resources = new BusiestSeries<>(MOST_RULES);
    private final CountSeries all = new CountSeries();
    private final Map<String, Instance> instances = new HashMap<>();

    /** The counts of other instances since the last sample. */
    private final Map<String, Count> heardOfRules = new HashMap<>();

    private final Map<RuleResource, Count> heardOfResources = new HashMap<>();
    private boolean shared;
    private long sample;

    /** One instance, as far as it is known. */
    private static final class Instance {

        private final CountSeries series = new CountSeries();
        private String name = "";
        private Count pending = Count.NONE;
        private long waiting;
        private Map<String, Count> rules = Map.of();
        private long number = -1;
        private long heardAt;

        /** Returns what it has told since the last sample. */
        Count sample(long sample) {
            Count told = new Count(pending.permitted(), pending.refused(), isFresh(sample) ? waiting : 0);
            series.set(sample, told);
            pending = Count.NONE;
            return told;
        }

        boolean isFresh(long sample) {
            return sample - heardAt <= FRESH;
        }
    }

    /** The series of a single instance where no request waits. */
    public DecisionSeries(DecisionCounts counts) {
        this(counts, () -> 0, rule -> 0, () -> "");
    }

    /**
     * @param waiting how many requests wait for their turn now
     * @param waitingOfRule how many do so by the name of a rule
     * @param name of this instance, for people
     */
    public DecisionSeries(
            DecisionCounts counts, IntSupplier waiting, ToLongFunction<String> waitingOfRule, Supplier<String> name) {
        this.counts = counts;
        this.waiting = waiting;
        this.waitingOfRule = waitingOfRule;
        this.name = name;
        instances.put(run, new Instance());
        counts.names().forEach(rule -> before.putAll(now(rule)));
    }

    private Map<RuleResource, Count> now(String rule) {
        Map<RuleResource, Count> now = new HashMap<>();
        counts.sums(rule, PERMITTED)
                .forEach((resource, sum) -> now.put(new RuleResource(rule, resource), new Count(sum, 0, 0)));
        counts.sums(rule, REFUSED)
                .forEach((resource, sum) ->
                        now.merge(new RuleResource(rule, resource), new Count(0, sum, 0), Count::plus));
        return now;
    }

    /** Adds the decisions since the last sample. Called once a second. */
    public synchronized void sample() {
        next();
    }

    /** {@link #sample()}, for other instances: the text is for {@link #hear} of each of them. */
    public synchronized String share() {
        shared = true;
        return next().text();
    }

    private InstanceSample next() {
        sample++;
        InstanceSample own = own();
        hear(own);
        addThoseThatWait();
        rules.sample(sample, heardOfRules);
        resources.sample(sample, heardOfResources);
        heardOfRules.clear();
        heardOfResources.clear();
        all.set(
                sample,
                instances.values().stream()
                        .map(instance -> instance.sample(sample))
                        .reduce(Count.NONE, Count::plus));
        instances.values().removeIf(instance -> sample - instance.heardAt > GONE_AFTER);
        return own;
    }

    /** As its last sample tells, however many of an instance have been heard. */
    private void addThoseThatWait() {
        for (Instance instance : instances.values()) {
            if (instance.isFresh(sample)) {
                instance.rules.forEach((rule, count) -> addToRule(rule, new Count(0, 0, count.waiting())));
            }
        }
    }

    private void addToRule(String rule, Count count) {
        if (!rule.equals(InstanceSample.OTHERS)) {
            heardOfRules.merge(rule, count, Count::plus);
        }
    }

    private InstanceSample own() {
        Map<String, Count> ofRules = new HashMap<>();
        Map<RuleResource, Count> ofResources = new HashMap<>();
        for (String rule : counts.names()) {
            Count sum = new Count(0, 0, waitingOfRule.applyAsLong(rule));
            for (Map.Entry<RuleResource, Count> resource : now(rule).entrySet()) {
                Count since = since(before.put(resource.getKey(), resource.getValue()), resource.getValue());
                sum = sum.plus(since);
                if (since.decisions() > 0) {
                    ofResources.put(resource.getKey(), since);
                }
            }
            if (sum.decisions() > 0 || sum.waiting() > 0) {
                ofRules.put(rule, sum);
            }
        }
        return new InstanceSample(run, name.get(), sample, waiting.getAsInt(), ofRules, ofResources);
    }

    private static Count since(@Nullable Count last, Count now) {
        return last == null ? now : new Count(now.permitted() - last.permitted(), now.refused() - last.refused(), 0);
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
            instance.rules = told.rules();
            instance.heardAt = sample;
            told.rules().forEach((rule, count) -> {
                instance.pending = instance.pending.plus(count);
                addToRule(rule, new Count(count.permitted(), count.refused(), 0));
            });
            told.resources().forEach((resource, count) -> heardOfResources.merge(resource, count, Count::plus));
        }
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
        Map<String, Object> sums = all.range(first, sample);
        body.put("waiting", sums.remove("waiting"));
        body.put("all", sums);
        Map<String, Map<String, Object>> ofRules = new TreeMap<>();
        rules.forEach((rule, series) -> ofRules.put(rule, series.range(first, sample)));
        resources.forEach((resource, series) ->
                resourcesOf(ofRules.get(resource.rule())).put(resource.resource(), series.range(first, sample)));
        body.put("rules", ofRules);
        if (shared) {
            body.put("instances", instances(first));
        }
        return body;
    }

    /** Of a rule that has no series of its own, none. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> resourcesOf(@Nullable Map<String, Object> rule) {
        return rule == null
                ? new HashMap<>()
                : (Map<String, Object>) rule.computeIfAbsent("resources", none -> new TreeMap<String, Object>());
    }

    private Map<String, Object> instances(long first) {
        Map<String, Object> body = new LinkedHashMap<>();
        instances.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(comparing(instance -> instance.name)))
                .forEach(entry -> {
                    Map<String, Object> instance = new LinkedHashMap<>();
                    instance.put("name", entry.getValue().name);
                    instance.put("own", entry.getKey().equals(run));
                    instance.putAll(entry.getValue().series.range(first, sample));
                    body.put(entry.getKey(), instance);
                });
        return body;
    }
}
