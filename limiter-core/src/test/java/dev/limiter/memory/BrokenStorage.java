package dev.limiter.memory;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SingleNumberLimit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A storage with a fault that tests must detect, to prove that they work. For one rule. */
final class BrokenStorage implements RateLimiterStorage {

    enum Fault {
        /** The number is checked, then set, without a compare-and-set. */
        NO_COMPARE,
        /** An expired cell is removed from the map without being marked as dead. */
        NO_DEAD_MARK,
        /** Several states are changed without a lock. */
        NO_LOCK,
        /** Several numbers are computed, then stored under a lock even if others have changed them. */
        NO_VERSION
    }

    private final Fault fault;
    private final RateLimiterFactory factory;
    private final TimeSource clock;
    private final ConcurrentHashMap<String, AtomicLong> numbers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, LimitState[]> states = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, long[]> severalNumbers = new ConcurrentHashMap<>();
    private volatile @Nullable SingleNumberLimit limit;
    private volatile SingleNumberLimit @Nullable [] limits;

    BrokenStorage(Fault fault, RateLimiterFactory factory, TimeSource clock) {
        this.fault = fault;
        this.factory = factory;
        this.clock = clock;
    }

    @Override
    public Decision decide(List<Charge> charges) {
        Charge charge = charges.get(0);
        boolean permitted = switch (fault) {
            case NO_LOCK -> takeUnlocked(charge.rule(), charge.key(), charge.permits());
            case NO_VERSION -> takeNumbers(charge.rule(), charge.key(), charge.permits());
            default -> takeNumber(charge.rule(), charge.key(), charge.permits());
        };
        return new FixedDecision(charge.rule(), permitted ? 0 : 1, FixedDecision.Reason.QUEUED);
    }

    private boolean takeNumber(Rule rule, String key, long permits) {
        if (limit == null) {
            limit = (SingleNumberLimit) factory.compile(rule.limits().get(0), clock.epochNanos());
        }
        SingleNumberLimit arithmetic = Objects.requireNonNull(limit);
        AtomicLong cell = numbers.computeIfAbsent(key, k -> new AtomicLong(arithmetic.fresh()));
        while (true) {
            long value = cell.get();
            long next = arithmetic.take(value, clock.epochNanos(), permits);
            if (next == SingleNumberLimit.REJECTED) {
                return false;
            }
            if (fault == Fault.NO_COMPARE) {
                Thread.yield();
                cell.set(next);
                return true;
            }
            if (cell.compareAndSet(value, next)) {
                return true;
            }
        }
    }

    private boolean takeNumbers(Rule rule, String key, long permits) {
        if (limits == null) {
            limits = rule.limits().stream()
                    .map(each -> factory.compile(each, clock.epochNanos()))
                    .toArray(SingleNumberLimit[]::new);
        }
        SingleNumberLimit[] arithmetic = Objects.requireNonNull(limits);
        long[] values = severalNumbers.computeIfAbsent(
                key,
                k -> Stream.of(arithmetic).mapToLong(SingleNumberLimit::fresh).toArray());
        long[] next = new long[values.length];
        for (int i = 0; i < next.length; i++) {
            next[i] = arithmetic[i].take(values[i], clock.epochNanos(), permits);
            if (next[i] == SingleNumberLimit.REJECTED) {
                return false;
            }
        }
        synchronized (values) {
            System.arraycopy(next, 0, values, 0, next.length);
        }
        return true;
    }

    private boolean takeUnlocked(Rule rule, String key, long permits) {
        LimitState[] used = states.computeIfAbsent(
                key,
                k -> rule.limits().stream()
                        .map(each -> factory.compile(each, clock.epochNanos()).newState())
                        .toArray(LimitState[]::new));
        long now = clock.epochNanos();
        for (LimitState state : used) {
            if (state.waitNanos(now, permits) > 0) {
                return false;
            }
        }
        for (LimitState state : used) {
            state.take(now, permits);
        }
        return true;
    }

    @Override
    public void cleanUp() {
        SingleNumberLimit arithmetic = limit;
        if (arithmetic != null) {
            numbers.forEach((key, cell) -> {
                if (arithmetic.freshAt(cell.get()) <= clock.epochNanos()) {
                    numbers.remove(key, cell);
                }
            });
        }
    }

    @Override
    public Decision peek(List<Charge> charges) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void reset(Rule rule, String key) {
        numbers.remove(key);
        states.remove(key);
        severalNumbers.remove(key);
    }

    @Override
    public long size() {
        return (long) numbers.size() + states.size() + severalNumbers.size();
    }
}
