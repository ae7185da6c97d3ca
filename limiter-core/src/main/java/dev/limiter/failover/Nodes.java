package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The nodes of a remote storage, of which one may fail while the others do not. Thread-safe. */
final class Nodes {

    /** The only node, or what is behind one connection. */
    private static final String ONLY = "";

    private final RemoteStorage remote;
    private final StorageListener listener;
    private final TimeSource clock;
    private final ConcurrentMap<String, NodeHealth> nodes = new ConcurrentHashMap<>();

    Nodes(RemoteStorage remote, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.listener = listener;
        this.clock = clock;
        of(ONLY);
    }

    private NodeHealth of(String node) {
        NodeHealth known = nodes.get(node);
        return known != null ? known : joined(node);
    }

    private NodeHealth joined(String node) {
        NodeHealth made = new NodeHealth(remote, node, listener, clock);
        NodeHealth raced = nodes.putIfAbsent(node, made);
        if (raced != null) {
            return raced;
        }
        listener.joined(node);
        return made;
    }

    /** The node that decides on a charge. */
    NodeHealth of(Charge charge) {
        return of(remote.node(charge));
    }

    /** Whether the node of a charge is down; probes it then. */
    boolean isOpen(Charge charge) {
        NodeHealth node = of(charge);
        if (node.isOpen()) {
            node.probe();
        }
        return node.isOpen();
    }

    /** Whether the place of the first charge decides on all of them: one node, or memory. */
    boolean areOne(NodeHealth first, List<Charge> charges) {
        return charges.stream().map(this::of).allMatch(node -> node == first || node.isOpen() && first.isOpen());
    }

    /** Whether no node is down. */
    boolean isAvailable() {
        return nodes.values().stream().noneMatch(NodeHealth::isOpen);
    }

    /** Probes the nodes that are down, and checks the others, also while no request does. */
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
