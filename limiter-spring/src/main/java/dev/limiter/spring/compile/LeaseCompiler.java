package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;

/** Checks the share of a rule's limits that instances take ahead. */
final class LeaseCompiler {

    private static final int MOST = 50;

    private LeaseCompiler() {}

    /** {@code place}: of the limits behind that of the rule; empty for its own. */
    static void check(RuleDefinition definition, List<Limit> limits, String place, Problems problems) {
        Setting<String> lease = definition.get(RuleOptions.LEASE);
        if (lease == null) {
            return;
        }
        int percent = percent(lease.value());
        if (percent < 1 || percent > MOST) {
            problems.add(
                    MessageCode.LEASE, lease.where(), lease.value(), "A lease is a share from 1% to 50%, such as 5%.");
        } else if (limits.stream().anyMatch(limit -> limit.isHeld() || limit.isSpaced())) {
            problems.add(
                    MessageCode.LEASE,
                    lease.where(),
                    lease.value(),
                    "What is held until it is released (concurrency), and what leaves one after the other"
                            + " (leaky-bucket with max-wait, warm-up), cannot be taken ahead"
                            + (place.isEmpty() ? "" : ", as in " + definition.origin() + place)
                            + ". Remove it, or choose another algorithm.");
        }
    }

    /** The number of a share such as 5%; 0 if it is none. */
    static int percent(String share) {
        String text = share.strip();
        return text.matches("[0-9]{1,2}%") ? Integer.parseInt(text.substring(0, text.length() - 1)) : 0;
    }
}
