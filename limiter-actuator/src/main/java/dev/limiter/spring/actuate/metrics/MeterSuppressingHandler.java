package dev.limiter.spring.actuate.metrics;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Makes no meters of observations for which there is a timer already: a second one of the same name with other tags
 * would be rejected by some registries. Goes before the handlers that make them.
 */
public final class MeterSuppressingHandler implements MeterObservationHandler<Observation.Context> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof TimedObservationContext;
    }
}
