package dev.limiter.memory;

import dev.limiter.Charge;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what every key used on the heap. Thread-safe; never blocks; has no thread of its own.
 *
 * <p>At most {@code maxKeys} states are kept, and 1 % more for moments. A state that is as good as new is forgotten; each
 * new key pays for a few others to be looked at, and {@link #cleanUp()} does the rest. When there is no room, the states
 * leave first that would soonest be as good as new, of those the newest. A state at its limit does not leave while
 * another one can; when all are at their limit, new keys of a rule share one state.
 */
public final class InMemoryRateLimiterStorage implements RateLimiterStorage {

    /** Of a rule's state that keys share for which there is no room. Not counted, never leaves. */
    private static final String OVERFLOW = "\0overflow";

    /** Rules are values and may be made per request; what is compiled for them is then dropped now and then. */
    private static final int MAX_BOUND_RULES = 10_000;

    private static final int RECENT_RULES = 256;

    private final RateLimiterFactory factory;
    private final TimeSource clock;
    private final long maxKeys;
    private final Population population;
    private final ConcurrentHashMap<Rule, BoundRule> boundRules = new ConcurrentHashMap<>();

    /** In front of the map, by hash: spares every decision two dependent loads. Entries are immutable, races benign. */
    private final @Nullable BoundRule[] recentRules = new BoundRule[RECENT_RULES];

    private final Releases releases = new Releases();
    private final ConcurrentHashMap<String, States> statesByRule = new ConcurrentHashMap<>();

    /** {@code maxKeys} as in {@link dev.limiter.RateLimiters.Builder#maxKeys}. */
    public InMemoryRateLimiterStorage(RateLimiterFactory factory, TimeSource clock, long maxKeys) {
        this.factory = factory;
        this.clock = clock;
        this.maxKeys = maxKeys;
        this.population = new Population(maxKeys, clock);
    }

    @Override
    public Decision decide(Rule rule, String key, long permits) {
        return permits <= 0 ? ask(new Charge(rule, key, permits)) : decide(rule, key, permits, null);
    }

    /** {@code terms}: null if the permits are asked for now, and nothing else. */
    private Decision decide(Rule rule, String key, long permits, @Nullable Terms terms) {
        BoundRule bound = bind(rule);
        while (true) {
            // before the cell is touched: another thread takes its cache line away while the clock is read
            long now = bound.numbers == null ? 0 : clock.epochNanos();
            Cell cell = bound.find(key);
            if (cell == null) {
                Decision first = decideFirst(bound, key, permits, terms);
                if (first != null) {
                    return first;
                }
            } else {
                Decision decision = decide(cell, bound, permits, now, terms);
                if (decision != null) {
                    return decision;
                }
                recover(cell, bound);
            }
            bound = bind(rule);
        }
    }

    private @Nullable Decision decide(Cell cell, BoundRule bound, long permits, long now, @Nullable Terms terms) {
        if (cell.bound != bound) {
            return cell.refuseUnder(bound, terms == null ? Terms.plain(permits) : terms, clock);
        }
        return terms == null ? cell.decide(permits, now, clock) : cell.reserve(terms, clock);
    }

    /** Decides on a key that has no cell; null if it has one by now. */
    private @Nullable Decision decideFirst(BoundRule bound, String key, long permits, @Nullable Terms terms) {
        if (!bound.covers(clock.epochNanos())) {
            rebind(bound);
            return null;
        }
        if (permits > bound.capacity()) {
            return bound.newCell(key).peek(Terms.plain(permits), clock);
        }
        if (!population.admit()) {
            return decideOverflow(bound.rule, permits, terms);
        }
        // put while fresh, decided as any other: between finding nothing and putting something, time may have passed
        Cell cell = bound.newCell(key);
        if (bound.states.putIfAbsent(cell) != cell) {
            population.dismiss();
            return null;
        }
        Decision decision = decide(cell, bound, permits, clock.epochNanos(), terms);
        population.settle(cell);
        return decision;
    }

    /** Decides on the state that keys share for which there is no room. */
    private Decision decideOverflow(Rule rule, long permits, @Nullable Terms terms) {
        while (true) {
            BoundRule bound = bind(rule);
            Cell shared = bound.find(OVERFLOW);
            Cell cell = shared != null ? shared : bound.states.putIfAbsent(bound.newCell(OVERFLOW));
            Decision decision = decide(cell, bound, permits, clock.epochNanos(), terms);
            if (decision != null) {
                return decision;
            }
            recover(cell, bound);
        }
    }

    @Override
    public Decision decide(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        if (charges.size() == 1) {
            return decide(charges.get(0), 0);
        }
        return decideAll(Charge.merged(charges));
    }

    private Decision decideAll(List<Charge> charges) {
        // asking first charges nobody for what another rule refuses; what is lost in a race is given back
        List<Decision> decisions = new ArrayList<>(charges.size());
        boolean permitted = true;
        long wait = 0;
        for (Charge charge : charges) {
            Decision answer = ask(charge);
            permitted &= answer.permitted();
            wait = Math.max(wait, answer.delay().toNanos());
            decisions.add(answer);
        }
        for (int i = 0; permitted && i < charges.size(); i++) {
            Decision decision = decide(charges.get(i), wait);
            decisions.set(i, decision);
            if (!decision.permitted()) {
                decisions.forEach(Decision::giveBack);
                permitted = false;
            }
        }
        return Decision.allOf(decisions);
    }

    /** {@code wait}: how long the request waits in any case. */
    private Decision decide(Charge charge, long wait) {
        if (charge.permits() == 0) {
            return ask(charge);
        }
        Terms terms = charge.isPlain() && wait == 0 ? null : Terms.of(charge, wait);
        return decide(charge.rule(), charge.key(), charge.permits(), terms);
    }

    @Override
    public Decision peek(Rule rule, String key) {
        return ask(rule.charge(key));
    }

    /** What the answer would be; charges nothing, creates nothing. */
    private Decision ask(Charge charge) {
        while (true) {
            BoundRule bound = bind(charge.rule());
            Cell present = bound.find(charge.key());
            Cell cell = present != null ? present : bound.newCell(charge.key());
            Decision answer = cell.bound == bound
                    ? cell.peek(Terms.of(charge, 0), clock)
                    : cell.peekUnder(bound, Terms.of(charge, 0), clock);
            if (answer != null) {
                return answer;
            }
            recover(cell, bound);
        }
    }

    /** Does what a decision on a cell found missing: a live cell, under these limits, compiled for this time. */
    private void recover(Cell cell, BoundRule bound) {
        if (!bound.covers(clock.epochNanos())) {
            rebind(bound);
        } else if (cell.isDead()) {
            bound.states.remove(cell);
        } else if (cell.bound != bound) {
            bound.states.succeed(cell, bound);
        }
    }

    @Override
    public void reset(Rule rule, String key) {
        States states = bind(rule).states;
        for (Cell cell = states.get(key); cell != null; cell = states.get(key)) {
            boolean killed = cell.kill() != null;
            states.remove(cell);
            if (killed) {
                if (!key.equals(OVERFLOW)) {
                    population.dismiss();
                }
                releases.of(cell);
                return;
            }
            // dead already: gone, or its successor has what it used
        }
    }

    @Override
    public TimeSource clock() {
        return clock;
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        releases.listeners.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        releases.listeners.remove(listener);
    }

    @Override
    public long size() {
        return population.size();
    }

    /** How many states left because they were as good as new. */
    public long expired() {
        return population.expired();
    }

    /** How many states left because there was no room. */
    public long evicted() {
        return population.evicted();
    }

    @Override
    public void cleanUp() {
        population.cleanUp();
    }

    private BoundRule bind(Rule rule) {
        BoundRule recent = recentRules[rule.hashCode() & RECENT_RULES - 1];
        return recent != null && recent.rule.equals(rule) ? recent : bindAnew(rule);
    }

    private BoundRule bindAnew(Rule rule) {
        if (boundRules.size() >= MAX_BOUND_RULES) {
            boundRules.clear();
        }
        BoundRule bound = boundRules.computeIfAbsent(rule, this::compile);
        recentRules[rule.hashCode() & RECENT_RULES - 1] = bound;
        return bound;
    }

    private void rebind(BoundRule bound) {
        boundRules.replace(bound.rule, bound, compile(bound.rule));
        bindAnew(bound.rule);
    }

    private BoundRule compile(Rule rule) {
        long now = clock.epochNanos();
        CompiledLimit[] limits =
                rule.limits().stream().map(limit -> factory.compile(limit, now)).toArray(CompiledLimit[]::new);
        States states = statesByRule.computeIfAbsent(rule.name(), name -> new States(maxKeys, clock, releases));
        return new BoundRule(rule, limits, states);
    }
}
