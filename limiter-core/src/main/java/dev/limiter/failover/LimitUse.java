package dev.limiter.failover;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last answer about one limit of one key, and the permits that were granted in memory since. Guarded by its {@link
 * KeyUse}.
 */
final class LimitUse {

    /** Longer ago than that, others may hold other permits of a concurrency limit. */
    private static final long HELD_NANOS = Duration.ofSeconds(30).toNanos();

    /** A clock of a server that is further back is another one, or was set. */
    private static final long CLOCK_STEP_MICROS = 1_000_000;

    /** Parts of a permit that are left by rounding. */
    private static final double ROUNDING = 1e-6;

    final String name;

    /** As the last answer was given by it; null where nothing of that counts, and memory alone decides. */
    private @Nullable Limit told;

    /** As it was asked for last; null before that. */
    private @Nullable Limit asked;

    /** The number of instances that have each granted as much as this one. */
    private int instances = 1;

    /** The time of the last answer, or a later one by which nothing counted any more of what a bucket held then. */
    private long at;

    private long answered;
    private long left;
    private long lasting;

    /** Given back by this instance, which the answer does not take account of. */
    private double returned;

    /** Sent back by this instance, which no answer takes account of that is heard before they are back. */
    private double sent;

    /** The permits of a concurrency limit that this instance holds in the shared storage. */
    private long held;

    /** About to be granted in memory, or not. */
    private long reserved;

    /** Granted in memory, and to be charged in the shared storage: of a bucket as far as it had not leaked {@link #at}. */
    private double owed;

    /** The part of the debt that is of the window which begins at {@link #next}, in epoch nanoseconds. */
    private long ahead;

    private long next;

    /** Granted in memory to requests in flight, and to be held in the shared storage; of a concurrency limit. */
    private long unheld;

    /** Grants of an earlier generation are charged in the shared storage, as far as there was room for them. */
    private int unsettled;

    LimitUse(String name) {
        this.name = name;
    }

    /** Whether that is the last answer by now. {@code position}: of the limit in what is said of its rule. */
    boolean answered(Limit limit, RemoteRuleStatus standing, int position, long now) {
        if (limit.isHeld()) {
            held += standing.taken(position);
        }
        if (isOvertaken(limit, standing, position)) {
            return false;
        }
        leak(now);
        this.told = limit;
        this.at = now;
        this.answered = standing.takenAt();
        this.left = standing.left(position);
        this.lasting = standing.lastingNanos(position);
        this.returned = sent;
        return true;
    }

    /** Whether a later answer was heard of before. Of one time, those of different limits are heard in their order. */
    private boolean isOvertaken(Limit limit, RemoteRuleStatus standing, int position) {
        long later = answered - standing.takenAt();
        return later > 0 && later < CLOCK_STEP_MICROS
                || later == 0 && limit.equals(told) && left < standing.left(position);
    }

    /** How many of the permits that an answer took still count for certain; of a bucket, those that cannot have leaked. */
    double counting(RemoteRuleStatus standing, int position, long now) {
        Limit limit = standing.rule().limits().get(position);
        long taken = standing.taken(position);
        if (limit.isHeld()) {
            return taken;
        }
        double age = Math.max((answered - standing.takenAt()) * 1000.0 + (now - at), 0);
        if (limit.algorithm() == Algorithm.FIXED_WINDOW && standing.requestDelayNanos() > 0) {
            // permits of the next window, of which the answer tells nothing
            return 0;
        }
        if (!hasLevel(limit)) {
            return age < standing.lastingNanos(position) - fading(limit) ? taken : 0;
        }
        double level = (lasting(limit) - (now - at)) / interval(limit) - returned;
        return Math.max(Math.min(taken - age / interval(limit), level), 0);
    }

    /** The time for which permits count in part in the end, in nanoseconds. */
    private static double fading(Limit limit) {
        return limit instanceof Limit.SlidingWindowCounter counter
                ? (double) counter.window().toNanos() / counter.buckets()
                : 0;
    }

    /** So many are about to be sent back. */
    void returning(double permits) {
        returned += permits;
        held = Math.max(held - (long) permits, 0);
    }

    /** So many are sent. */
    void sent(double permits) {
        sent += permits;
    }

    /** So many that were sent are back. */
    void ended(double permits) {
        sent = sent - permits < ROUNDING ? 0 : sent - permits;
    }

    /** Counts so many that are about to be granted in memory. */
    void reserve(long permits) {
        reserved += permits;
    }

    void unreserve(long permits) {
        reserved -= permits;
    }

    /** So many of what was reserved are granted, and used in a window that begins then, or has begun. */
    void owe(long permits, long begins, Limit limit) {
        reserved -= permits;
        owed += permits;
        if (begins > 0) {
            boolean same = begins - next < limit.window().toNanos() / 2;
            ahead = same ? ahead + permits : permits;
            next = same ? next : begins;
        }
    }

    /** How much is owed of a window that has not begun. */
    long ahead(long now) {
        return now < next && !debtLeaks() ? ahead : 0;
    }

    /** So many of what was reserved are granted to a request in flight. */
    void hold(long permits) {
        reserved -= permits;
        unheld += permits;
    }

    /** So many are held in the shared storage as well, or not any more. */
    void held(long permits) {
        unheld -= permits;
    }

    private void pay(long permits) {
        owed = Math.max(owed - permits, 0);
        ahead = Math.min(ahead, owed());
    }

    /** So many of the grants before a generation are owed no more. */
    void settled(long permits, int generation) {
        if (permits > 0) {
            pay(permits);
            unsettled = generation;
        }
    }

    /** Permits that were granted in a generation are not used, which the shared storage need not know if they are owed. */
    void givenBack(long permits, int generation) {
        if (generation >= unsettled) {
            pay(permits);
        }
    }

    /** Reserved or granted in memory, of which the shared storage does not know yet. */
    private double granted() {
        return reserved + owed + unheld;
    }

    boolean owes() {
        return reserved + owed() + unheld > 0;
    }

    /** The debt in whole permits. */
    long owed() {
        return (long) Math.ceil(owed - ROUNDING);
    }

    /** Whether the debt leaks, as that of a bucket: it is only what still counts. */
    boolean debtLeaks() {
        return asked != null && leaks(asked);
    }

    /** The limit is asked for as it is now; permits granted before count by what it was then. */
    private void ask(Limit limit, int instances, long now) {
        boolean leaking = debtLeaks();
        leak(now);
        if (!leaking && leaks(limit) && now - at >= lasting(limit)) {
            restart(limit, now);
        }
        this.asked = limit;
        this.instances = instances;
    }

    /**
     * Has a bucket leak until now. Permits granted in memory since the last answer are behind what the bucket held then:
     * each alone would leak at the full rate.
     */
    void leak(long now) {
        Limit by = asked;
        long age = now - at;
        if (by != null && leaks(by) && age >= lasting(by)) {
            double rest = lasting(by) + ofAll(owed - returned, instances) * interval(by) - age;
            owed = Math.min(owed, Math.max(rest, 0) / (interval(by) * instances));
            restart(by, now);
        }
    }

    /** The level that a bucket held by the last answer does not count any more. */
    private void restart(Limit by, long now) {
        told = told != null && owes() ? by : null;
        at = now;
        left = by.capacity();
        lasting = 0;
        returned = 0;
    }

    /** Whether an answer may be a late one, which was made before permits were granted in memory. */
    boolean isReserved() {
        return reserved > 0;
    }

    long unheld() {
        return unheld;
    }

    /** Whether the last answer leaves enough for what is owed. */
    boolean isCovered() {
        return !owes() || told == null || left + returned >= granted();
    }

    /**
     * Where the limit at that position stands for a charge, by what is known of it: {@link Long#MAX_VALUE} remain where
     * memory alone decides.
     */
    LimitStatus status(Charge charge, int position, int instances, long now) {
        Limit limit = charge.rule().limits().get(position);
        ask(limit, instances, now);
        String policy = charge.rule().policies().get(position);
        long kept = charge.kept(limit.capacity());
        long wait = refusesFor(charge, position, instances, now);
        Optional<Duration> retry =
                wait == 0 || wait >= Decision.UNKNOWN ? Optional.empty() : Optional.of(Duration.ofNanos(wait));
        long reset = isKnown(limit) && !limit.isHeld() ? resetsIn(limit, instances, now - at) : 0;
        return new LimitStatus(
                policy, limit, wait == 0, left(limit, kept, instances, now), retry, Duration.ofNanos(reset));
    }

    /**
     * The time for which so many permits must not be granted in memory, in nanoseconds; 0 if they may be; or {@link
     * Decision#NEVER} or {@link Decision#UNKNOWN}. With several instances each grants its part of the remaining permits,
     * and at least one.
     */
    private long refusesFor(Charge charge, int position, int instances, long now) {
        Limit limit = charge.rule().limits().get(position);
        long permits = charge.permits(position);
        long kept = charge.kept(limit.capacity());
        if (permits > limit.capacity() - kept) {
            return Decision.NEVER;
        }
        // the shared storage alone grants more than its part
        long share = part(limit.capacity(), instances);
        long sharedKept = InstanceShare.keeping(charge, instances).kept(share);
        long least = permits > share - sharedKept ? StandInDecision.TRY_AGAIN : 0;
        if (permits <= left(limit, kept, instances, now)) {
            return least;
        }
        if (limit.isHeld()) {
            return least > 0 ? least : Decision.UNKNOWN;
        }
        long age = now - at;
        return Math.max(
                least, hasLevel(limit) ? untilLevel(limit, permits, kept, instances, age) : lasting(limit) - age);
    }

    /** Whether the last answer tells something of such a limit: permits that were used are not held. */
    private boolean isKnown(Limit limit) {
        return told != null && (told.isHeld() || !limit.isHeld());
    }

    /** The permits that count by the last answer, be it by another limit than the one that it was given by. */
    private long used(Limit by) {
        return by.isSpaced() ? (long) Math.ceil(level(by)) : by.capacity() - left;
    }

    /**
     * The same in parts of a permit, which a bucket tells by how long they last. Fewer than were used are those of a limit
     * that was slower for no permit yet: they last as long as by the faster one.
     */
    private double level(Limit by) {
        double level = hasLevel(by) ? lasting / interval(by) : 0;
        long whole = by.capacity() - left;
        return by.isSpaced() || level > whole - 1 ? level : whole;
    }

    /** The rest that the last answer leaves of the limit as it is now: permits that were used stay used. */
    private long left(Limit limit) {
        Limit by = told;
        return by == null || by.equals(limit) ? left : limit.capacity() - used(by);
    }

    /** How long what was used counts, from the last answer on: a level sinks as fast as the limit is now. */
    private long lasting(Limit limit) {
        Limit by = told;
        if (by == null) {
            return lasting;
        }
        if (!hasLevel(limit)) {
            return by.isHeld() ? limit.window().toNanos() : lasting;
        }
        long level = Math.min((long) Math.ceil(level(by) * interval(limit)), Limit.MAX_WINDOW.toNanos());
        return by.equals(limit) ? Math.max(level, lasting) : level;
    }

    /** The permits that may be granted in memory, 0 or more; {@link Long#MAX_VALUE} if memory alone decides. */
    private long left(Limit limit, long kept, int instances, long now) {
        long age = now - at;
        if (!isKnown(limit) || !limit.isHeld() && (age >= counted(limit, instances) || limit.isSpaced())) {
            return Long.MAX_VALUE;
        }
        double free = limit.isHeld() ? free(limit, kept, instances, now) : standing(limit, kept, instances, age);
        return (long) Math.max(free - granted(), 0);
    }

    /** How long what was used counts by now, if the other instances have granted and given back as much as this one. */
    private long resetsIn(Limit limit, int instances, long age) {
        return Math.max(counted(limit, instances) - age, 0);
    }

    /** The time from {@link #at} on for which what was used counts, and what a bucket got in memory behind that. */
    private long counted(Limit limit, int instances) {
        return hasLevel(limit) && !limit.isSpaced()
                ? lasting(limit) + (long) Math.ceil(ofAll(granted() - returned, instances) * interval(limit))
                : lasting(limit);
    }

    /** This instance's part of what the answer left, or of what has flown into a bucket since, if that is more. */
    private double standing(Limit limit, long kept, int instances, long age) {
        double answered = withReturned(left(limit), kept, instances);
        if (!hasLevel(limit)) {
            return answered;
        }
        double level = (lasting(limit) - age) / interval(limit);
        double rest = limit.capacity() - besideReturned(kept) - level;
        return Math.max(answered, ofOwn(kept) + (rest > 0 ? rest / instances : rest));
    }

    private double free(Limit limit, long kept, int instances, long now) {
        return now - at < HELD_NANOS
                ? withReturned(left(limit), kept, instances)
                : Math.max(part(limit.capacity() - kept, instances) - held, 0);
    }

    /** This instance's part of what the answer left, and what was given back here. */
    private double withReturned(long left, long kept, int instances) {
        return part((long) Math.floor(left - besideReturned(kept)), instances) + ofOwn(kept);
    }

    /** Permits that were given back here are not divided, unless a part of them has to be left. */
    private double ofOwn(long kept) {
        return kept == 0 ? returned : 0;
    }

    private double besideReturned(long kept) {
        return kept == 0 ? 0 : kept - returned;
    }

    /** A bucket sinks by a permit in an interval, from what it held by the answer, until that is over. */
    private long untilLevel(Limit limit, long permits, long kept, int instances, long age) {
        double whole = besideReturned(kept) + ofAll(granted() + permits - ofOwn(kept), instances);
        double due = lasting(limit) - (limit.capacity() - whole) * interval(limit);
        return Math.max(Math.min(Math.round(due), counted(limit, instances)) - age, 0);
    }

    /** So many permits on each instance; those that were given back here are not divided. */
    private static double ofAll(double permits, int instances) {
        return permits > 0 ? permits * instances : permits;
    }

    /** How long the turns last that the shared storage has given; 0 if that is not known, or not such a limit. */
    long turnsNanos(Limit limit, long now) {
        return isKnown(limit) && limit.isSpaced() ? Math.max(lasting(limit) - (now - at), 0) : 0;
    }

    /** The time between two permits of a bucket, in nanoseconds. */
    static double interval(Limit limit) {
        return (double) limit.window().toNanos() / limit.limit();
    }

    /** Permits that are used beyond the limit, or of what must be left, are not divided. */
    private static long part(long permits, int instances) {
        return permits <= 0 ? permits : Math.max(permits / instances, 1);
    }

    /** Whether it sinks by a permit in an interval: one that is not warm is slower. */
    private static boolean leaks(Limit limit) {
        return hasLevel(limit) && OutageGrant.Terms.warmUp(limit).isZero();
    }

    /** Whether it is a level that sinks evenly; warmth counts as if it were used. */
    static boolean hasLevel(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> true;
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> false;
        };
    }
}
