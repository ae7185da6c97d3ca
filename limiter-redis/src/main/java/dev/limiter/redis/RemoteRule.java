package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.PermitArithmetic;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A rule with the script arguments of its limits. The states of one key are in Redis keys named {@code
 * prefix{rule:key}limit}. The part in braces determines the slot, so all limits of a rule and key are on one node.
 */
final class RemoteRule {

    /** The pause between calls for a key without permits left to lease. */
    public static final long PAUSE_MICROS = 1000;

    /** Longer keys are stored as a hash. */
    private static final int LONGEST_KEY = 128;

    public final Rule rule;

    /** The percentage of the limits, and of their windows, that leases may take. */
    public final int aheadPercent;

    public final RemoteLimit[] limits;

    /** The {@linkplain LuaAlgorithm#bit bits} of all algorithms. */
    public final int algorithms;

    /** Whether windows follow a calendar, which scripts do not have. */
    public final boolean byCalendar;

    /** The most permits of a lease and how long it lasts; 0 for no leases. */
    public final long ahead;

    public final long aheadNanos;

    /** The fewest permits to lease, even if few are left: otherwise each rejection would cost a call. */
    public final long smallestBlock;

    private final boolean shareable;
    private final String start;

    /**
     * Compiles a rule.
     *
     * @param holdMicros how long a permit of a concurrency limit is held unless renewed
     */
    public RemoteRule(Rule rule, String prefix, long holdMicros, int aheadPercent) {
        this.rule = rule;
        this.aheadPercent = aheadPercent;
        long permits = Long.MAX_VALUE;
        long nanos = Long.MAX_VALUE;
        double perPause = Double.MAX_VALUE;
        for (Limit limit : rule.limits()) {
            permits = Math.min(permits, limit.limit() / 100 * aheadPercent + limit.limit() % 100 * aheadPercent / 100);
            nanos = Math.min(nanos, limit.window().toNanos() / 100 * aheadPercent);
            perPause = Math.min(
                    perPause,
                    limit.limit() * 1000.0 * PAUSE_MICROS / limit.window().toNanos());
        }
        this.ahead = rule.limits().stream()
                        .allMatch(limit -> !(limit instanceof Limit.Concurrency) && !PermitArithmetic.isSpaced(limit))
                ? permits
                : 0;
        this.aheadNanos = nanos;
        this.smallestBlock = Math.min((long) perPause, ahead);
        long aheadMicros = ahead > 0 ? -Math.floorDiv(-nanos, 1000) : 0;
        this.limits = rule.limits().stream()
                .map(limit -> RemoteLimitCompiler.of(limit, holdMicros, aheadMicros))
                .toArray(RemoteLimit[]::new);
        int set = 0;
        boolean all = true;
        for (RemoteLimit limit : limits) {
            set |= limit.algorithm.bit();
            all &= limit.algorithm.isShareable();
        }
        this.algorithms = set;
        this.shareable = all;
        this.byCalendar = rule.limits().stream().anyMatch(Limit.CalendarWindow.class::isInstance);
        this.start = prefix + "{" + escaped(rule.name());
    }

    /** Returns the names of the states of a key, in the order of the limits. */
    public byte[][] keys(String key) {
        String tagged = start + (key.length() <= LONGEST_KEY ? ":" + key : "#" + hash(key)) + "}";
        byte[][] names = new byte[limits.length][];
        for (int i = 0; i < names.length; i++) {
            names[i] = (tagged + limits[i].limit.name()).getBytes(StandardCharsets.UTF_8);
        }
        return names;
    }

    /** Returns whether several callers may share the permits of one call. */
    public boolean isShareable() {
        return shareable;
    }

    /** Returns whether a charge holds permits of a limit until they are released. */
    public boolean isHeld(Charge charge, int limit) {
        return limits[limit].isHeld() && charge.permits(limit) > 0;
    }

    public boolean holds() {
        return (algorithms & LuaAlgorithm.CONCURRENCY.bit()) != 0;
    }

    /** Escapes a rule name. In code it may be any text, and must not look like another name with a key. */
    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder(name.length());
        for (char c : name.toCharArray()) {
            if ("%:#{}".indexOf(c) >= 0) {
                escaped.append('%').append(Integer.toHexString(c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static String hash(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 20);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
