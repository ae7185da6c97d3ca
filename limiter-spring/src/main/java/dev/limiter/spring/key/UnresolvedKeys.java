package dev.limiter.spring.key;

import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.failure.MessageCode;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts requests without a value for a part of their key. Warns once if the first requests of a rule all have one, for
 * example because a header is misspelled. Thread-safe.
 */
public final class UnresolvedKeys {

    /** The number of first requests without a value after which a rule is reported. */
    static final int FIRST = 100;

    private static final Log logger = LogFactory.getLog(UnresolvedKeys.class);

    private final ConcurrentMap<String, OfRule> rules = new ConcurrentHashMap<>();

    /**
     * Returns the counter of a rule. It survives changes of the rule.
     *
     * @param where the property or attribute of its key, for the message
     */
    public OfRule of(String rule, String where) {
        return rules.computeIfAbsent(rule, unknown -> new OfRule(where));
    }

    /** The requests of one rule. */
    public static final class OfRule {

        private final String where;
        private final LongAdder unresolved = new LongAdder();

        /** True once the first requests were reported, or one of them had all parts. */
        private volatile boolean settled;

        private OfRule(String where) {
            this.where = where;
        }

        /** Counts the key of a request. */
        public void count(ResolvedKey key) {
            if (key.missing() == null) {
                if (!settled) {
                    settled = true;
                }
                return;
            }
            unresolved.increment();
            if (!settled && unresolved.sum() >= FIRST) {
                report(key.missing());
            }
        }

        private synchronized void report(String missing) {
            if (!settled) {
                settled = true;
                String hint = missing.contains("param:")
                        ? " Parameters come from the query or a form, not from a JSON body."
                        : "";
                logger.warn(where + ": none of the first " + FIRST + " requests has a value for "
                        + LogText.escape(missing) + ", and all requests without a value share one bucket. Correct"
                        + " the key."
                        + hint + " [" + MessageCode.UNRESOLVED_KEY + "]");
            }
        }

        /** Returns the number of requests without a value for a part of their key. */
        public long sum() {
            return unresolved.sum();
        }
    }
}
