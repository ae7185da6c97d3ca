package dev.limiter.redis;

import dev.limiter.Charge;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Which of the servers are asked: in a cluster one may fail while the others do not. Thread-safe. */
final class RemoteHealth {

    /** The only server, or what is behind one connection. */
    private static final String ONLY = "";

    private final RedisRateLimiterStorage storage;
    private final StorageListener listener;
    private final Settlements settlements;
    private final ConcurrentMap<String, NodeHealth> nodes = new ConcurrentHashMap<>();

    RemoteHealth(RedisRateLimiterStorage storage, StorageListener listener, Settlements settlements) {
        this.storage = storage;
        this.listener = listener;
        this.settlements = settlements;
        of(ONLY);
    }

    private NodeHealth of(String node) {
        NodeHealth known = nodes.get(node);
        return known != null ? known : joined(node);
    }

    private NodeHealth joined(String node) {
        NodeHealth made = new NodeHealth(storage, node, listener, this::settle);
        NodeHealth raced = nodes.putIfAbsent(node, made);
        if (raced != null) {
            return raced;
        }
        listener.joined(node);
        return made;
    }

    /** Of the server that decides on a charge. */
    NodeHealth of(Charge charge) {
        return storage.redis().isClustered() ? of(storage.redis().node(storage.slot(charge))) : of(ONLY);
    }

    /** Whether no server is asked. */
    boolean isGone() {
        return nodes.values().stream().allMatch(NodeHealth::isOpen);
    }

    /** Whether one server decides on all of these. */
    boolean isOne(List<Charge> charges) {
        if (charges.size() > 1 && storage.redis().isClustered()) {
            NodeHealth first = of(charges.get(0));
            return charges.stream().allMatch(charge -> of(charge) == first);
        }
        return true;
    }

    /** Whether all servers are asked. */
    boolean isAvailable() {
        return nodes.values().stream().noneMatch(NodeHealth::isOpen);
    }

    /** Has charged what was granted in memory instead of the servers that are asked. */
    void settle() {
        settlements.begin(charge -> !of(charge).isOpen());
    }

    /** Probes those that are not asked, and finds out about the others while nobody asks. */
    void cleanUp() {
        nodes.forEach((name, node) -> {
            if (storage.redis().isClustered() && !node.exists()) {
                nodes.remove(name, node);
                if (node.isOpen()) {
                    listener.found(name);
                }
                listener.left(name);
            } else if (node.isOpen()) {
                node.probe();
            } else {
                node.check();
            }
        });
    }
}
