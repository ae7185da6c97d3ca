package dev.limiter.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisNodeGaugesTests {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RedisNodeGauges nodes = new RedisNodeGauges();

    @Test
    void showsEachServerByItself() {
        nodes.joined("one");
        nodes.register(List.of(registry));
        nodes.joined("two");
        nodes.asks("two", false);
        assertThat(gauge("one").value()).isEqualTo(1);
        assertThat(gauge("two").value()).isZero();
        nodes.asks("two", true);
        assertThat(gauge("two").value()).isEqualTo(1);
    }

    @Test
    void forgetsAServerThatLeft() {
        nodes.register(List.of(registry));
        nodes.joined("");
        nodes.joined("one");
        nodes.left("");
        assertThat(registry.find("limiter.redis.available").gauges()).containsExactly(gauge("one"));
        nodes.asks("", false);
        assertThat(registry.find("limiter.redis.available").gauges()).containsExactly(gauge("one"));
    }

    private Gauge gauge(String node) {
        return registry.get("limiter.redis.available").tag("node", node).gauge();
    }
}
