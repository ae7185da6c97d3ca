package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Decides a request: each charge on its node, or in memory while that node is down. All charges are granted, or none:
 * memory decides first, and if a node rejects, the permits from memory are returned. Only a request that is decided in
 * one place may wait for a turn. Thread-safe.
 */
final class RequestDecider {

    private final RemoteStorage remote;
    private final Nodes nodes;
    private final LocalFallback fallback;
    private final StorageListener listener;
    private final TimeSource clock;

    RequestDecider(
            RemoteStorage remote, Nodes nodes, LocalFallback fallback, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.nodes = nodes;
        this.fallback = fallback;
        this.listener = listener;
        this.clock = clock;
    }

    /** Decides merged charges; {@code budget} includes all calls. */
    CompletableFuture<Decision> decide(List<Charge> charges, Budget budget) {
        NodeHealth first = nodes.of(charges.get(0));
        return charges.size() == 1 || nodes.areOne(first, charges)
                ? decideIn(first, charges, budget)
                : decideApart(withoutWaiting(charges), budget);
    }

    private CompletableFuture<Decision> decideIn(NodeHealth node, List<Charge> charges, Budget budget) {
        if (node.isOpen()) {
            node.probe();
            return CompletableFuture.completedFuture(fallback.decide(charges));
        }
        Decision known = remote.known(charges);
        return known != null ? CompletableFuture.completedFuture(known) : reply(call(node, charges), budget);
    }

    /** Decides on the node of the charge, without a fallback. */
    CompletableFuture<Decision> decideRemotely(Charge charge, Budget budget) {
        RemoteCall call = call(nodes.of(charge), List.of(charge));
        return call.within(budget).whenComplete((decision, failure) -> {
            if (failure != null) {
                call.cancel();
            }
        });
    }

    private RemoteCall call(NodeHealth node, List<Charge> charges) {
        return new RemoteCall(remote, node, charges, listener, clock);
    }

    /** Returns the reply of the node, or a decision in memory if there is none. */
    private CompletableFuture<Decision> reply(RemoteCall call, Budget budget) {
        return call.within(budget).exceptionallyCompose(failed -> {
            RuntimeException failure = remote.failure(failed);
            if (!(failure instanceof StorageUnavailableException unavailable)) {
                return CompletableFuture.failedFuture(failure);
            }
            return unavailable.isOfOneState() && call.charges.size() > 1
                    ? decideEach(call.node, withoutWaiting(call.charges), budget)
                    : CompletableFuture.completedFuture(decideInstead(call));
        });
    }

    private Decision decideInstead(RemoteCall call) {
        try {
            Decision memory = fallback.decide(call.charges);
            call.isDecided(memory);
            return memory;
        } catch (RuntimeException failure) {
            call.cancel();
            throw failure;
        }
    }

    /** Decides each charge in a call of its own, because one broken state fails all charges of a call. */
    private CompletableFuture<Decision> decideEach(NodeHealth node, List<Charge> charges, Budget budget) {
        return together(
                new SplitRequest(charges),
                charges.stream().map(charge -> call(node, List.of(charge))).toList(),
                budget);
    }

    /** Removes maximum waits: a turn granted in one place would be lost if another place rejects. */
    private static List<Charge> withoutWaiting(List<Charge> charges) {
        return charges.stream().map(charge -> charge.maxWait(Duration.ZERO)).toList();
    }

    private CompletableFuture<Decision> decideApart(List<Charge> charges, Budget budget) {
        Map<Boolean, List<Charge>> byOpen =
                charges.stream().collect(Collectors.partitioningBy(charge -> nodes.isOpen(charge)));
        List<Charge> inMemory = byOpen.getOrDefault(true, List.of());
        List<Charge> asked = byOpen.getOrDefault(false, List.of());
        SplitRequest request = new SplitRequest(charges);
        if (!inMemory.isEmpty()) {
            Decision decision = fallback.decide(inMemory);
            request.put(inMemory, decision);
            if (!decision.permitted()) {
                asked.forEach(charge -> request.put(List.of(charge), fallback.peek(List.of(charge))));
                return CompletableFuture.completedFuture(request.end());
            }
        }
        Map<NodeHealth, List<Charge>> byNode =
                asked.stream().collect(Collectors.groupingBy(nodes::of, LinkedHashMap::new, Collectors.toList()));
        return together(
                request,
                byNode.entrySet().stream()
                        .map(part -> call(part.getKey(), part.getValue()))
                        .toList(),
                budget);
    }

    /** Combines {@code calls}; all are sent before one is awaited. */
    private CompletableFuture<Decision> together(SplitRequest request, List<RemoteCall> calls, Budget budget) {
        List<CompletableFuture<Void>> replies = calls.stream()
                .map(call -> reply(call, budget).thenAccept(decision -> request.put(call.charges, decision)))
                .toList();
        return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                .thenApply(all -> request.end())
                .whenComplete((decision, failure) -> {
                    if (failure != null) {
                        request.giveBack();
                    }
                });
    }
}
