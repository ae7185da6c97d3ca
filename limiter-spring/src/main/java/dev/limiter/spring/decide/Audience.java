package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.decide.CountingListener.Tally;
import dev.limiter.spring.failure.FailureLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one outcome. A failing listener changes no decision, even with an error: the request would hold its
 * permits for ever. Thread-safe; as large as there are rules and resources.
 */
final class Audience {

    private static final FailureLog failures = new FailureLog(LogFactory.getLog(DecisionReports.class));

    private final Outcome outcome;
    private final List<CountingListener> counting;
    private final OccasionalListener[] occasional;
    private final List<RateLimitListener> others;

    /** The tallies by resource and rule, in the order of {@link #counting}. */
    private final ConcurrentMap<String, ConcurrentMap<String, Tally[]>> tallies = new ConcurrentHashMap<>();

    Audience(Outcome outcome, List<RateLimitListener> all) {
        List<RateLimitListener> hearing =
                all.stream().filter(listener -> listener.hears(outcome)).toList();
        this.outcome = outcome;
        this.counting = only(CountingListener.class, hearing);
        this.occasional = only(OccasionalListener.class, hearing).toArray(OccasionalListener[]::new);
        this.others = hearing.stream()
                .filter(listener -> !(listener instanceof CountingListener || listener instanceof OccasionalListener))
                .toList();
    }

    private static <T> List<T> only(Class<T> type, List<RateLimitListener> listeners) {
        return listeners.stream().filter(type::isInstance).map(type::cast).toList();
    }

    boolean isEmpty() {
        return counting.isEmpty() && occasional.length == 0 && others.isEmpty();
    }

    /** Has a decision counted; returns the listeners to its event. */
    List<RateLimitListener> count(
            RateLimitRule rule, @Nullable Charge charge, String resource, @Nullable Decision part, Duration waited) {
        ConcurrentMap<String, Tally[]> ofResource = tallies.get(resource);
        Tally[] known = ofResource == null ? null : ofResource.get(rule.name());
        for (Tally tally : known == null ? begin(rule.name(), resource) : known) {
            try {
                tally.add(rule, charge, part, waited);
            } catch (RuntimeException | Error failure) {
                failed(tally, failure);
            }
        }
        List<RateLimitListener> asking = others;
        for (OccasionalListener listener : occasional) {
            if (listener.isListening()) {
                asking = with(listener, asking);
            }
        }
        return asking;
    }

    private static List<RateLimitListener> with(RateLimitListener another, List<RateLimitListener> listeners) {
        List<RateLimitListener> all = new ArrayList<>(listeners);
        all.add(another);
        return all;
    }

    private Tally[] begin(String rule, String resource) {
        try {
            return tallies.computeIfAbsent(resource, unknown -> new ConcurrentHashMap<>())
                    .computeIfAbsent(
                            rule,
                            unknown -> counting.stream()
                                    .map(listener -> listener.tally(rule, resource, outcome))
                                    .toArray(Tally[]::new));
        } catch (RuntimeException | Error failure) {
            failed(this, failure);
            return new Tally[0];
        }
    }

    static void tell(List<RateLimitListener> listeners, Consumer<RateLimitListener> event) {
        for (RateLimitListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error failure) {
                failed(listener, failure);
            }
        }
    }

    private static void failed(Object listener, Throwable failure) {
        failures.error(listener.getClass().getName(), "A listener of rate limits failed; the decision stands", failure);
    }
}
