package dev.limiter.memory;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of all keys on the heap. Thread-safe; never blocks; starts no threads.
 *
 * <p>At most {@code maxKeys} states are kept, and 1 % more while it is unknown whether one can leave. States that equal
 * a new one expire: each new key examines a few others, and {@link #cleanUp()} the rest.
 *
 * <p>When the storage is full, the state that uses least of its tightest limit is evicted. Few states are all compared;
 * of many, the newest and some others. States that are at their limit, hold permits or have waiting requests are
 * evicted last. If only such states are left, new keys of a rule share one state.
 */
public final class InMemoryRateLimiterStorage implements RateLimiterStorage {

    private final RateLimiterFactory factory;
    private final TimeSource clock;
    private final long maxKeys;
    private final Eviction eviction;
    private final RuleCache rules = new RuleCache(this::compile);
    private final ReleaseListeners releases = new ReleaseListeners();

    /** The cells of each rule, kept while a cell, a compiled rule or a request refers to them. */
    private final ConcurrentHashMap<String, CellsReference> cellsByRule = new ConcurrentHashMap<>();

    private final ReferenceQueue<Cells> unused = new ReferenceQueue<>();

    /** Creates a storage; {@code maxKeys} as in {@link dev.limiter.RateLimiters.Builder#maxKeys}. */
    public InMemoryRateLimiterStorage(RateLimiterFactory factory, TimeSource clock, long maxKeys) {
        this(factory, clock, maxKeys, new Eviction(maxKeys, clock));
    }

    InMemoryRateLimiterStorage(RateLimiterFactory factory, TimeSource clock, long maxKeys, Eviction eviction) {
        this.factory = factory;
        this.clock = clock;
        this.maxKeys = maxKeys;
        this.eviction = eviction;
    }

    @Override
    public Decision decide(Rule rule, String key, long permits) {
        return permits <= 0 ? peek(rule.charge(key, permits)) : decide(rule, key, permits, null);
    }

    /** Decides on a key; {@code terms} is null for a plain number of permits. */
    private Decision decide(Rule rule, String key, long permits, @Nullable ChargeTerms terms) {
        BoundRule bound = rules.get(rule);
        while (true) {
            // read before the cell is touched: another thread may take its cache line while the clock is read
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
            bound = rules.get(rule);
        }
    }

    @Override
    public boolean take(Rule rule, String key) {
        BoundRule bound = rules.get(rule);
        if (bound.number != null) {
            long now = clock.epochNanos();
            if (bound.find(key) instanceof NumberCell cell && cell.bound == bound) {
                Boolean taken = cell.take(now, clock);
                if (taken != null) {
                    return taken;
                }
            }
        }
        return decide(rule, key, 1).permitted();
    }

    private @Nullable Decision decide(Cell cell, BoundRule bound, long permits, long now, @Nullable ChargeTerms terms) {
        if (cell.bound != bound) {
            return cell.rejectUnder(bound, terms == null ? ChargeTerms.plain(permits) : terms, clock);
        }
        return terms == null ? cell.decide(permits, now, clock) : cell.reserve(terms, clock);
    }

    /** Decides on a key that has no cell; returns null if it has one now. */
    private @Nullable Decision decideFirst(BoundRule bound, String key, long permits, @Nullable ChargeTerms terms) {
        if (!bound.covers(clock.epochNanos())) {
            rules.renew(bound);
            return null;
        }
        if (bound.isNever(permits, terms)) {
            return bound.newCell(key).peek(terms == null ? ChargeTerms.plain(permits) : terms, clock);
        }
        Cell cell = bound.newCell(key);
        if (!eviction.admit(cell)) {
            return decideShared(bound.rule, permits, terms);
        }
        // added fresh and decided like any other, because time may have passed since the lookup
        return put(cell) == cell ? decide(cell, bound, permits, clock.epochNanos(), terms) : null;
    }

    /** Adds a cell to the map; returns the cell that is then in the map. */
    private Cell put(Cell cell) {
        Cell present = cell.bound.cells.putIfAbsent(cell);
        if (present != cell) {
            eviction.forget(cell);
        }
        return present;
    }

    /** Decides on the state shared by keys that do not fit. */
    private Decision decideShared(Rule rule, long permits, @Nullable ChargeTerms terms) {
        while (true) {
            BoundRule bound = rules.get(rule);
            Cell present = bound.find(Cells.SHARED);
            Cell cell = present != null ? present : putShared(bound);
            Decision decision = decide(cell, bound, permits, clock.epochNanos(), terms);
            if (decision != null) {
                return decision;
            }
            recover(cell, bound);
        }
    }

    private Cell putShared(BoundRule bound) {
        Cell cell = bound.newCell(Cells.SHARED);
        eviction.admitShared(cell);
        return put(cell);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("charges is empty, but must contain at least one charge");
        }
        if (charges.size() == 1) {
            return decide(charges.get(0));
        }
        return decideAll(PermitArithmetic.merged(charges));
    }

    /**
     * Peeks at all charges but the last before it takes permits, so that a rejection charges no other rule. If another
     * request takes the permits in between, those taken so far are returned.
     */
    private Decision decideAll(List<Charge> charges) {
        int last = charges.size() - 1;
        Decision[] decisions = new Decision[charges.size()];
        boolean permitted = true;
        for (int i = 0; i < last; i++) {
            decisions[i] = peek(charges.get(i));
            permitted &= decisions[i].permitted();
        }
        decisions[last] = permitted ? decide(charges.get(last)) : peek(charges.get(last));
        permitted &= decisions[last].permitted();
        for (int i = 0; permitted && i < last; i++) {
            decisions[i] = decide(charges.get(i));
            if (!decisions[i].permitted()) {
                for (Decision decision : decisions) {
                    decision.giveBack();
                }
                permitted = false;
            }
        }
        return AbstractDecision.allOf(List.of(decisions));
    }

    /**
     * Takes permits at the turn of this rule and key only: a wait for another one would withhold them from other
     * requests.
     */
    private Decision decide(Charge charge) {
        if (charge.permits() == 0) {
            return peek(charge);
        }
        ChargeTerms terms = PermitArithmetic.isPlain(charge) ? null : ChargeTerms.of(charge);
        return decide(charge.rule(), charge.key(), charge.permits(), terms);
    }

    @Override
    public Decision peek(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("charges is empty, but must contain at least one charge");
        }
        return AbstractDecision.allOf(
                PermitArithmetic.merged(charges).stream().map(this::peek).toList());
    }

    /** Returns the decision that a charge would get; changes nothing. */
    private Decision peek(Charge charge) {
        while (true) {
            BoundRule bound = rules.get(charge.rule());
            Cell cell = findOrMake(bound, charge.key());
            Decision peeked = cell.bound == bound
                    ? cell.peek(ChargeTerms.of(charge), clock)
                    : cell.peekUnder(bound, ChargeTerms.of(charge), clock);
            if (peeked != null) {
                return peeked;
            }
            recover(cell, bound);
        }
    }

    /** Returns the cell that would decide; a fresh one outside the map if there is none and it would fit. */
    private Cell findOrMake(BoundRule bound, String key) {
        Cell present = bound.find(key);
        if (present == null && !eviction.hasRoom()) {
            present = bound.find(Cells.SHARED);
        }
        return present != null ? present : bound.newCell(key);
    }

    /** Fixes the reason why a cell could not decide: it is dead, has other limits, or does not cover the time. */
    private void recover(Cell cell, BoundRule bound) {
        long now = clock.epochNanos();
        if (!bound.covers(now)) {
            rules.renew(bound);
        } else if (cell.isDead()) {
            bound.cells.remove(cell);
        } else if (cell.bound != bound && !cell.bound.covers(now)) {
            // only arithmetic that covers the time shows whether these limits can hold what was used under others
            recompile(cell, now);
        } else if (cell.bound != bound) {
            bound.cells.succeed(cell, bound);
        }
    }

    /** Replaces a cell that does not cover the time by a successor under the same limits. */
    private void recompile(Cell cell, long now) {
        BoundRule same = rules.get(cell.bound.rule);
        if (same.covers(now)) {
            same.cells.succeed(cell, same);
        } else {
            rules.renew(same);
        }
    }

    @Override
    public void reset(Rule rule, String key) {
        Cells cells = rules.get(rule).cells;
        for (Cell cell = cells.get(key); cell != null; cell = cells.get(key)) {
            boolean killed = cell.kill();
            cells.remove(cell);
            if (killed) {
                eviction.forget(cell);
                cells.released(cell);
                return;
            }
            // dead: removed, or its successor has taken over its use
        }
    }

    @Override
    public TimeSource clock() {
        return clock;
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        releases.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        releases.remove(listener);
    }

    @Override
    public long size() {
        return eviction.size();
    }

    /** Returns how many states were removed because they equalled a new one. */
    public long expired() {
        return eviction.expired();
    }

    /** Returns how many states were evicted to make space. */
    public long evicted() {
        return eviction.evicted();
    }

    @Override
    public void cleanUp() {
        eviction.cleanUp();
        forgetUnused();
    }

    /** Removes the names of rules that have no state. */
    private void forgetUnused() {
        while (unused.poll() instanceof CellsReference reference) {
            cellsByRule.remove(reference.rule, reference);
        }
    }

    /** Returns the number of rule names in memory. */
    int names() {
        return cellsByRule.size();
    }

    private BoundRule compile(Rule rule) {
        forgetUnused();
        long now = clock.epochNanos();
        CompiledLimit[] limits =
                rule.limits().stream().map(limit -> factory.compile(limit, now)).toArray(CompiledLimit[]::new);
        return new BoundRule(rule, limits, cells(rule.name()));
    }

    private Cells cells(String rule) {
        while (true) {
            CellsReference reference = cellsByRule.get(rule);
            Cells known = reference == null ? null : reference.get();
            if (known != null) {
                return known;
            }
            Cells made = new Cells(maxKeys, clock, releases, eviction);
            CellsReference replacement = new CellsReference(rule, made, unused);
            boolean first = reference == null
                    ? cellsByRule.putIfAbsent(rule, replacement) == null
                    : cellsByRule.replace(rule, reference, replacement);
            if (first) {
                return made;
            }
        }
    }

    /** The cells of a rule name, as long as they are in use. Each cell in the eviction queues refers to them. */
    private static final class CellsReference extends WeakReference<Cells> {

        private final String rule;

        CellsReference(String rule, Cells cells, ReferenceQueue<Cells> unused) {
            super(cells, unused);
            this.rule = rule;
        }
    }
}
