package dev.limiter.redis;

import dev.limiter.Rule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A rule as the scripts see it. The states of one key are in keys named {@code prefix{rule:key}limit}: what is in braces
 * decides the slot, so all limits of a rule and key are on one node.
 */
final class RemoteRule {

    /** Longer ones are kept as a hash. */
    private static final int LONGEST_KEY = 128;

    final Rule rule;
    final RemoteLimit[] limits;

    /** The {@linkplain LuaAlgorithm#bit bits} of all algorithms. */
    final int algorithms;

    private final String start;

    RemoteRule(Rule rule, String prefix, long leaseMicros) {
        this.rule = rule;
        this.limits = rule.limits().stream()
                .map(limit -> RemoteLimits.of(limit, leaseMicros))
                .toArray(RemoteLimit[]::new);
        int set = 0;
        for (RemoteLimit limit : limits) {
            set |= limit.algorithm.bit();
        }
        this.algorithms = set;
        this.start = prefix + "{" + escaped(rule.name());
    }

    /** The names of the states of a key, in the order of the limits. */
    byte[][] keys(String key) {
        String tagged = start + (key.length() <= LONGEST_KEY ? ":" + key : "#" + hash(key)) + "}";
        byte[][] names = new byte[limits.length][];
        for (int i = 0; i < names.length; i++) {
            names[i] = (tagged + limits[i].limit.name()).getBytes(StandardCharsets.UTF_8);
        }
        return names;
    }

    boolean holds() {
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
