package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.spring.decide.CountingListener.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Who hears of one outcome. A listener that fails changes no decision. Thread-safe; as large as there are rules and resources. */
final class Audience {

    private static final Log logger = LogFactory.getLog(DecisionReports.class);

    private final Outcome outcome;
    private final List<CountingListener> counting;
    private final List<RateLimitListener> others;
    private final ConcurrentMap<String, ConcurrentMap<String, Counted[]>> byResource = new ConcurrentHashMap<>();

    /** A listener, and where it counts. */
    private record Counted(CountingListener listener, Tally tally) {}

    Audience(Outcome outcome, List<RateLimitListener> all) {
        List<RateLimitListener> hearing =
                all.stream().filter(listener -> listener.hears(outcome)).toList();
        this.outcome = outcome;
        this.counting = hearing.stream()
                .filter(CountingListener.class::isInstance)
                .map(CountingListener.class::cast)
                .toList();
        this.others = hearing.stream()
                .filter(listener -> !(listener instanceof CountingListener))
                .toList();
    }

    boolean isEmpty() {
        return counting.isEmpty() && others.isEmpty();
    }

    /** Has a decision counted; those who are to be told of the event of it. */
    List<RateLimitListener> count(String rule, String resource, @Nullable Decision part, Duration waited) {
        List<RateLimitListener> asking = others;
        for (Counted counted : counted(rule, resource)) {
            if (add(counted.tally(), part, waited)) {
                asking = new ArrayList<>(asking);
                asking.add(counted.listener());
            }
        }
        return asking;
    }

    private static boolean add(Tally tally, @Nullable Decision part, Duration waited) {
        try {
            return tally.add(part, waited);
        } catch (RuntimeException failure) {
            failed(failure);
            return false;
        }
    }

    private Counted[] counted(String rule, String resource) {
        ConcurrentMap<String, Counted[]> byRule = byResource.get(resource);
        Counted[] counted = byRule == null ? null : byRule.get(rule);
        return counted == null ? begin(rule, resource) : counted;
    }

    private Counted[] begin(String rule, String resource) {
        try {
            return byResource
                    .computeIfAbsent(resource, unknown -> new ConcurrentHashMap<>())
                    .computeIfAbsent(
                            rule,
                            unknown -> counting.stream()
                                    .map(listener -> new Counted(listener, listener.tally(rule, resource, outcome)))
                                    .toArray(Counted[]::new));
        } catch (RuntimeException failure) {
            failed(failure);
            return new Counted[0];
        }
    }

    static void tell(List<RateLimitListener> listeners, Consumer<RateLimitListener> event) {
        for (RateLimitListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException failure) {
                failed(failure);
            }
        }
    }

    private static void failed(RuntimeException failure) {
        logger.warn("A listener of rate limits failed; the decision stands", failure);
    }
}
