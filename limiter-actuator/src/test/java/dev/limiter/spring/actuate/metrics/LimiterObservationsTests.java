package dev.limiter.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.WaitListener.Wait;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A failing observation handler cannot flood the log. */
@ExtendWith(OutputCaptureExtension.class)
class LimiterObservationsTests {

    private final Rule rule = Rule.of("orders", Limit.fixedWindow(1, Duration.ofHours(1)));

    @Test
    void handlerThatFailsIsLoggedOnce(CapturedOutput output) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new Failing());
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("registry", registry));
        LimiterObservations observations = new LimiterObservations(
                beans.getBeanProvider(ObservationRegistry.class), beans.getBeanProvider(RateLimiters.class));
        observations.afterSingletonsInstantiated();
        for (int i = 0; i < 5; i++) {
            Wait wait = observations.comes(List.of(rule.charge("ann")));
            assertThat(wait).isNotNull();
            wait.begins();
            wait.ends(null);
        }
        assertThat(output).containsOnlyOnce("Cannot observe a waiting request");
    }

    private static final class Failing implements ObservationHandler<Observation.Context> {

        @Override
        public void onStart(Observation.Context context) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void onStop(Observation.Context context) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
