package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The nodes of a remote storage, each of which may fail independently. Thread-safe. */
final class Nodes {

    /** The name of the only node, or of everything behind one connection. */
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

    /** Returns the node that decides on a charge. */
    NodeHealth of(Charge charge) {
        return of(remote.node(charge));
    }

    /** Returns whether the node of a charge is down, and probes it if so. */
    boolean isOpen(Charge charge) {
        NodeHealth node = of(charge);
        if (node.isOpen()) {
            node.probe();
        }
        return node.isOpen();
    }

    /** Returns whether all charges are decided in one place: the node of the first, or memory. */
    boolean areOne(NodeHealth first, List<Charge> charges) {
        return charges.stream().map(this::of).allMatch(node -> node == first || node.isOpen() && first.isOpen());
    }

    /** Returns whether no node is down. */
    boolean isAvailable() {
        return nodes.values().stream().noneMatch(NodeHealth::isOpen);
    }

    /** Probes the nodes that are down, and checks the others, even if there are no requests. */
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
