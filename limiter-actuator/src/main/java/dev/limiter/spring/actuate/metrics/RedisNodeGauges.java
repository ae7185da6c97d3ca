package dev.limiter.spring.actuate.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The gauge {@code limiter.redis.available} by {@code node}: 1 while the node is in use, 0 while it fails. Gauges of
 * cluster nodes are added and removed with the nodes. Thread-safe.
 */
final class RedisNodeGauges {

    /** The tag if there is only one node. */
    private static final String ONLY = "all";

    private record Node(AtomicBoolean asked, List<Meter> gauges) {}

    private final Map<String, Node> nodes = new HashMap<>();
    private List<MeterRegistry> registries = List.of();

    synchronized void register(List<MeterRegistry> registries) {
        this.registries = registries;
        nodes.forEach(this::register);
    }

    synchronized void joined(String node) {
        Node joined = new Node(new AtomicBoolean(true), new ArrayList<>());
        nodes.put(node, joined);
        register(node, joined);
    }

    private void register(String name, Node node) {
        for (MeterRegistry registry : registries) {
            node.gauges.add(Gauge.builder("limiter.redis.available", node.asked, asked -> asked.get() ? 1 : 0)
                    .description("1 while the node is in use, 0 while it fails")
                    .tag("node", name.isEmpty() ? ONLY : name)
                    .strongReference(true)
                    .register(registry));
        }
    }

    synchronized void asks(String node, boolean asked) {
        Node known = nodes.get(node);
        if (known != null) {
            known.asked.set(asked);
        }
    }

    synchronized void left(String node) {
        Node left = nodes.remove(node);
        if (left != null) {
            left.gauges.forEach(gauge -> registries.forEach(registry -> registry.remove(gauge)));
        }
    }
}
