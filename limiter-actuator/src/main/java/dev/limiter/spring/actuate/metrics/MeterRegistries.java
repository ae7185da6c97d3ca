package dev.limiter.spring.actuate.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Where meters are registered: in the registry that is for all others, or in all that there are. */
final class MeterRegistries {

    private MeterRegistries() {}

    static List<MeterRegistry> of(ObjectProvider<MeterRegistry> available) {
        MeterRegistry one = available.getIfUnique();
        return one != null ? List.of(one) : available.orderedStream().toList();
    }
}
