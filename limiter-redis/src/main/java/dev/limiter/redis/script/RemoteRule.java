package dev.limiter.redis.script;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A rule as the scripts see it. The states of one key are in keys named {@code prefix{rule:key}limit}: what is in
 * braces decides the slot, so all limits of a rule and key are on one node.
 */
public final class RemoteRule {

    /** The pause between calls of a key without permits left to lease. */
    public static final long PAUSE_MICROS = 1000;

    /** Longer ones are kept as a hash. */
    private static final int LONGEST_KEY = 128;

    public final Rule rule;

    /** The share of the limits, and of their windows, for which permits are taken ahead. */
    public final int aheadPercent;

    public final RemoteLimit[] limits;

    /** The {@linkplain LuaAlgorithm#bit bits} of all algorithms. */
    public final int algorithms;

    /** Whether windows begin by a calendar, which scripts do not know. */
    public final boolean byCalendar;

    /** How many permits are taken ahead at most, and for how long they are kept; 0 for none. */
    public final long ahead;

    public final long aheadNanos;

    /** The least number of permits leased, however few are left: otherwise rejections would cost a call each. */
    public final long smallestBlock;

    private final boolean shareable;
    private final String start;

    /**
     * @param holdMicros the time that a permit of a concurrency limit is held unless renewed
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
        this.ahead = rule.limits().stream().allMatch(limit -> !limit.isHeld() && !limit.isSpaced()) ? permits : 0;
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

    /** The names of the states of a key, in the order of the limits. */
    public byte[][] keys(String key) {
        String tagged = start + (key.length() <= LONGEST_KEY ? ":" + key : "#" + hash(key)) + "}";
        byte[][] names = new byte[limits.length][];
        for (int i = 0; i < names.length; i++) {
            names[i] = (tagged + limits[i].limit.name()).getBytes(StandardCharsets.UTF_8);
        }
        return names;
    }

    /** Whether several callers may share what one call takes. */
    public boolean isShareable() {
        return shareable;
    }

    /** Whether a charge holds permits of the limit at that position until they are released. */
    public boolean isHeld(Charge charge, int limit) {
        return limits[limit].isHeld() && charge.permits(limit) > 0;
    }

    public boolean holds() {
        return (algorithms & LuaAlgorithm.CONCURRENCY.bit()) != 0;
    }

    /** Names of rules made in code may be any text: none may look like another one with a key. */
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
