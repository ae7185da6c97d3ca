package dev.limiter.spring.key;

import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.failure.MessageCode;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts the requests of each rule whose key lacks a part. Warns once if the first requests of a rule all lack one, as
 * with a misspelled header: they share a bucket. Thread-safe.
 */
public final class UnresolvedKeys {

    /** A rule whose first requests all lack a part is reported. */
    static final int FIRST = 100;

    private static final Log logger = LogFactory.getLog(UnresolvedKeys.class);

    private final ConcurrentMap<String, OfRule> rules = new ConcurrentHashMap<>();

    /**
     * The counter of a rule, which outlives changes of the rule.
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

        /** Whether the first requests were reported, or one of them had all parts. */
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
                        ? " Parameters are those of the query and of forms, not of a JSON body."
                        : "";
                logger.warn(where + ": none of the first " + FIRST + " requests had a value for "
                        + LogText.escape(missing) + ", and requests without one share a bucket. Correct the key."
                        + hint + " [" + MessageCode.UNRESOLVED_KEY + "]");
            }
        }

        /** The number of requests whose key lacked a part. */
        public long sum() {
            return unresolved.sum();
        }
    }
}
