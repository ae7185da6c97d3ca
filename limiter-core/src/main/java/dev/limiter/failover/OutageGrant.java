package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Permits granted in memory. They are reserved as long as the shared storage may still answer to the same charge; its
 * grant pays for them, and without one they are owed. Once the shared storage is back, it also holds those of
 * concurrency limits, until they are released. Thread-safe.
 */
final class OutageGrant {

    final Charge charge;

    private enum State {
        RESERVED,
        OWED,
        PAID
    }

    /** The generation of the {@link KeyUse} when this became a debt; guarded by that. */
    int generation;

    final Terms terms;

    private final KeyUse use;

    /** When the windows begin that permits of each limit count in, in epoch nanoseconds; 0 if they have. */
    private final long[] begins;

    /** Permits that the shared storage holds until this is over, by the names of their limits. */
    private final Map<String, Decision> holds = new HashMap<>(2);

    /** The names of the limits that memory alone holds permits of. */
    private final Set<String> unheld = new HashSet<>(2);

    private State state = State.RESERVED;
    private @Nullable Decision payment;
    private boolean givenBack;
    private boolean over;

    OutageGrant(KeyUse use, Charge charge, Rule share) {
        this(use, charge, share, new long[charge.rule().limits().size()]);
    }

    /**
     * @param charge reserved in {@code use}
     * @param share the rule as memory has decided on it
     * @param begins when the windows begin that permits of each limit count in, in epoch nanoseconds; 0 if they have
     */
    OutageGrant(KeyUse use, Charge charge, Rule share, long[] begins) {
        this.use = use;
        this.begins = begins;
        this.charge = charge;
        this.terms = new Terms(charge.rule(), share);
        List<Limit> limits = charge.rule().limits();
        for (int i = 0; i < limits.size(); i++) {
            if (limits.get(i).isHeld() && charge.permits(i) > 0) {
                unheld.add(limits.get(i).name());
            }
        }
    }

    /** The shared storage does not know of it. */
    synchronized void owe() {
        state = State.OWED;
        if (!givenBack) {
            use.owe(this, false);
        }
        if (!over) {
            use.owe(this, true);
        }
    }

    /** The shared storage has granted the same charge: that grant is given back, or released, with this one. */
    void pay(Decision grant) {
        boolean returned;
        boolean released;
        synchronized (this) {
            state = State.PAID;
            returned = givenBack || use.isForgotten();
            released = over;
            if (!givenBack) {
                use.unreserve(this, false);
            }
            if (!released) {
                use.unreserve(this, true);
            }
            if (!returned) {
                payment = grant;
            }
        }
        if (returned) {
            grant.giveBack();
        } else if (released) {
            grant.close();
        }
    }

    /** Whether memory alone holds permits of some limit. */
    synchronized boolean isUnheld() {
        return !unheld.isEmpty();
    }

    /** How many were granted of a limit; the most of any if the rule had no such limit then. */
    long permits(String limit) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .filter(i -> limits.get(i).name().equals(limit))
                .mapToLong(charge::permits)
                .findFirst()
                .orElse(charge.permits());
    }

    /** When the window begins that permits of the limit at that position count in, in epoch nanoseconds; 0 if it has. */
    long begins(int position) {
        return begins[position];
    }

    /** Whether nothing has to be held of a limit any more, or this is already. */
    synchronized boolean holds(String limit) {
        return over || holds.containsKey(limit);
    }

    /**
     * Has a hold in the shared storage released with the rest, at once if that is over. Does nothing with a refusal.
     */
    void hold(String limit, Decision hold) {
        if (!hold.permitted()) {
            return;
        }
        synchronized (this) {
            if (!over && holds.putIfAbsent(limit, hold) == null) {
                held(limit);
                return;
            }
        }
        hold.close();
    }

    /** Only these limits are about concurrency by now: of others, nothing is to be held. */
    synchronized void holdsOnly(Set<String> limits) {
        if (!over) {
            Set.copyOf(unheld).stream().filter(limit -> !limits.contains(limit)).forEach(this::held);
        }
    }

    private void held(String limit) {
        if (unheld.remove(limit)) {
            use.held(this, limit);
        }
    }

    void giveBack() {
        Decision paid;
        synchronized (this) {
            if (givenBack) {
                return;
            }
            givenBack = true;
            switch (state) {
                case RESERVED -> use.unreserve(this, false);
                case OWED -> use.givenBack(this);
                case PAID -> {}
            }
            paid = payment;
        }
        release();
        if (paid != null) {
            paid.giveBack();
        }
    }

    void release() {
        List<Decision> held;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            held = new ArrayList<>(holds.values());
            holds.clear();
            if (payment != null) {
                held.add(payment);
            }
            switch (state) {
                case RESERVED -> use.unreserve(this, true);
                case OWED -> use.released(this, unheld);
                case PAID -> {}
            }
        }
        held.forEach(Decision::close);
    }

    /**
     * The rule of a grant: under a narrower one memory does not tell how much counts, and the shared storage has no room.
     *
     * @param rule as it was asked for
     * @param share its share that memory has decided on
     */
    record Terms(Rule rule, Rule share) {

        boolean isWithin(Terms wider) {
            return isWithin(rule.limits(), wider.rule.limits()) && isWithin(share.limits(), wider.share.limits());
        }

        private static boolean isWithin(List<Limit> here, List<Limit> there) {
            return here.size() == there.size()
                    && IntStream.range(0, here.size()).allMatch(i -> isWithin(here.get(i), there.get(i)));
        }

        private static boolean isWithin(Limit limit, Limit wider) {
            return limit.name().equals(wider.name())
                    && limit.algorithm() == wider.algorithm()
                    && limit.window().equals(wider.window())
                    && limit.capacity() <= wider.capacity();
        }

        /**
         * The longest time for which memory may count a permit, in nanoseconds: that of a window or bucket twice, besides a
         * rest that warmth takes, and its wait.
         */
        long countedNanos(Duration maxWait) {
            double longest = rule.limits().stream()
                    .filter(limit -> !limit.isHeld())
                    .mapToDouble(limit -> limit.capacity() * LimitUse.interval(limit))
                    .max()
                    .orElse(0);
            double warmest = rule.limits().stream()
                    .mapToDouble(limit -> nanos(warmUp(limit)))
                    .max()
                    .orElse(0);
            return (long) Math.min(3 * longest + warmest + nanos(maxWait), Long.MAX_VALUE / 2.0);
        }

        static double nanos(Duration duration) {
            return duration.toSeconds() * 1e9 + duration.toNanosPart();
        }

        static Duration warmUp(Limit limit) {
            if (limit instanceof Limit.TokenBucket bucket) {
                return bucket.warmUp();
            }
            return limit instanceof Limit.LeakyBucket bucket ? bucket.warmUp() : Duration.ZERO;
        }
    }
}
