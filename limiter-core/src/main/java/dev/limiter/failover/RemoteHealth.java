package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The health of each node of a remote storage: one node may fail while the others do not. Thread-safe. */
final class RemoteHealth {

    /** The only node, or what is behind one connection. */
    private static final String ONLY = "";

    private final RemoteStorage remote;
    private final StorageListener listener;
    private final BatchSettlement settlements;
    private final TimeSource clock;
    private final ConcurrentMap<String, NodeHealth> nodes = new ConcurrentHashMap<>();

    RemoteHealth(RemoteStorage remote, StorageListener listener, BatchSettlement settlements, TimeSource clock) {
        this.remote = remote;
        this.clock = clock;
        this.listener = listener;
        this.settlements = settlements;
        of(ONLY);
    }

    private NodeHealth of(String node) {
        NodeHealth known = nodes.get(node);
        return known != null ? known : joined(node);
    }

    private NodeHealth joined(String node) {
        NodeHealth made = new NodeHealth(remote, node, listener, this::settle, clock);
        NodeHealth raced = nodes.putIfAbsent(node, made);
        if (raced != null) {
            return raced;
        }
        listener.joined(node);
        return made;
    }

    /** The health of the node that decides on a charge. */
    NodeHealth of(Charge charge) {
        return of(remote.isClustered() ? remote.node(charge) : ONLY);
    }

    /** Whether one node decides on all of these. */
    boolean isOne(List<Charge> charges) {
        if (charges.size() > 1 && remote.isClustered()) {
            NodeHealth first = of(charges.get(0));
            return charges.stream().allMatch(charge -> of(charge) == first);
        }
        return true;
    }

    /** Whether all nodes are asked. */
    boolean isAvailable() {
        return nodes.values().stream().noneMatch(NodeHealth::isOpen);
    }

    /** Has the nodes that are asked again charged for the grants made in memory. */
    void settle() {
        boolean gone = !nodes.isEmpty() && nodes.values().stream().allMatch(NodeHealth::isOpen);
        if (!gone) {
            settlements.begin(charge -> !of(charge).isOpen());
        }
    }

    /** Probes those that are not asked, and finds out about the others while no request does. */
    void cleanUp() {
        nodes.forEach((name, node) -> {
            if (!remote.hasNode(name)) {
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
