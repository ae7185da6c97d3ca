package dev.limiter.spring.actuate.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Selects the registries for meters: the primary one, which includes the others, or else all. */
final class MeterRegistries {

    private MeterRegistries() {}

    static List<MeterRegistry> of(ObjectProvider<MeterRegistry> available) {
        MeterRegistry one = available.getIfUnique();
        return one != null ? List.of(one) : available.orderedStream().toList();
    }
}
