package dev.limiter.spring.actuate.metrics;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.WaitListener;
import dev.limiter.failover.StorageListener;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.FailureLog;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Observes waiting requests ({@code limiter.wait}) and calls to a shared storage ({@code limiter.storage}), as children
 * of the caller's observation. They may stop on any thread, and never become the current observation. Does nothing
 * without an {@link ObservationRegistry} bean. Thread-safe.
 */
public final class LimiterObservations implements StorageListener, WaitListener, SmartInitializingSingleton {

    private static final FailureLog failures = new FailureLog(LogFactory.getLog(LimiterObservations.class));

    private final ObjectProvider<ObservationRegistry> available;
    private final ObjectProvider<RateLimiters> limiters;
    private volatile ObservationRegistry registry = ObservationRegistry.NOOP;

    public LimiterObservations(ObjectProvider<ObservationRegistry> registry, ObjectProvider<RateLimiters> limiters) {
        this.available = registry;
        this.limiters = limiters;
    }

    /** Looks up the registry only now, because it may depend on beans that need the storage. */
    @Override
    public void afterSingletonsInstantiated() {
        registry = available.getIfUnique(() -> ObservationRegistry.NOOP);
        if (!registry.isNoop()) {
            limiters.ifAvailable(asked -> asked.onWait(this));
        }
    }

    @Override
    public @Nullable Consumer<StorageListener.Outcome> asking(List<Charge> charges) {
        Observation observation = of(
                "limiter.storage",
                "check limits in storage",
                charges.stream().map(charge -> charge.rule().name()).distinct().toList());
        if (observation == null) {
            return null;
        }
        observation.start();
        return outcome -> stop(observation, EnumText.of(outcome));
    }

    @Override
    public @Nullable Wait comes(List<Charge> charges) {
        Observation observation = of("limiter.wait", "wait for permits", QueuedRequestCounter.rules(charges));
        return observation == null ? null : new ObservedWait(observation);
    }

    /** Returns null if the observation is disabled. */
    private @Nullable Observation of(String name, String forPeople, List<String> rules) {
        ObservationRegistry asked = registry;
        if (asked.isNoop()) {
            return null;
        }
        Observation observation = Observation.createNotStarted(name, MeterSuppressingHandler.Timed::new, asked)
                .contextualName(forPeople)
                .lowCardinalityKeyValue("rule", String.join(",", rules));
        return observation.isNoop() ? null : observation;
    }

    private static void stop(Observation observation, String outcome) {
        observation.lowCardinalityKeyValue("outcome", outcome);
        observation.stop();
    }

    /** Guards decisions against failing observation handlers of the application. */
    private record ObservedWait(Observation observation) implements Wait {

        @Override
        public void begins() {
            guarded(observation::start);
        }

        @Override
        public void ends(@Nullable Decision decision) {
            guarded(() -> stop(observation, outcome(decision)));
        }

        private static String outcome(@Nullable Decision decision) {
            return decision == null ? "cancelled" : decision.permitted() ? "permitted" : "rejected";
        }

        private static void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException failure) {
                failures.error("wait", "Cannot observe a waiting request", failure);
            }
        }
    }
}
