package dev.limiter.spring.actuate.metrics;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Keeps observations from creating a second timer of the same name with other tags, which some registries reject. Must
 * come before the handlers that create meters.
 */
public final class MeterSuppressingHandler implements MeterObservationHandler<Observation.Context> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof Timed;
    }

    /** An observation with a timer of its own. */
    static final class Timed extends Observation.Context {}
}
