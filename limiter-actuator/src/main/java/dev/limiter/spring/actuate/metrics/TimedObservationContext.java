package dev.limiter.spring.actuate.metrics;

import io.micrometer.observation.Observation;

/** An observation of something for which there is a timer of the same name, with tags of its own. */
final class TimedObservationContext extends Observation.Context {

    static final String RULE = "rule";
    static final String OUTCOME = "outcome";
}
