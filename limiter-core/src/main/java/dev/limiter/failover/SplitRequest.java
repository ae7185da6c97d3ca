package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.failover.RemoteDecider.Question;
import dev.limiter.failover.RemoteDecider.Unanswered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One request whose charges may have to be decided in several places: by several nodes, and in memory where a node or
 * a state cannot be used. All are granted, or none: what one place has granted is given back when another refuses, or
 * cannot count by a rule. Only a place that decides on all of them is asked for a turn to come ({@link #of}). Used by
 * one thread after the other.
 */
final class SplitRequest {

    /** All of them, as the request would wait. */
    private final List<Charge> charges;

    private final RemoteHealth health;
    private final RemoteDecider asked;
    private final OutageDecider outage;
    private final Budget budget;

    /** The decisions by the position of the charge; null where the remote storage has not decided. */
    private final @Nullable Decision[] decisions;

    /** The decision of the remote storage on all of them; null if there is none. */
    private @Nullable Decision whole;

    /** The charges by their position, as memory decides on them where the remote storage has not. */
    private final List<Unanswered> unanswered;

    /** {@code charges}: merged. {@code budget}: of all that is asked for them. */
    SplitRequest(List<Charge> charges, RemoteHealth health, RemoteDecider asked, OutageDecider outage, Budget budget) {
        this.charges = charges;
        this.health = health;
        this.asked = asked;
        this.outage = outage;
        this.budget = budget;
        this.decisions = new Decision[charges.size()];
        this.unanswered = new ArrayList<>(Unanswered.notAsked(charges));
    }

    /** Asks each node for all of its charges together. */
    CompletableFuture<Decision> decide() {
        Map<NodeHealth, List<Integer>> byNode = new LinkedHashMap<>();
        for (int i = 0; i < decisions.length; i++) {
            NodeHealth node = health.of(charges.get(i));
            if (node.isOpen()) {
                node.probe();
            } else {
                byNode.computeIfAbsent(node, absent -> new ArrayList<>()).add(i);
            }
        }
        List<CompletableFuture<Void>> answers = new ArrayList<>(byNode.size());
        byNode.forEach((node, positions) -> answers.add(ask(node, positions)));
        return end(CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)));
    }

    /** Asks a node for each charge alone, since one of their states is broken and fails all. */
    CompletableFuture<Decision> decideEach(NodeHealth node) {
        return end(askEach(node, IntStream.range(0, decisions.length).boxed().toList()));
    }

    private CompletableFuture<Decision> end(CompletableFuture<Void> answers) {
        return answers.thenApply(done -> end()).whenComplete((decision, failure) -> {
            if (failure != null) {
                giveBack();
            }
        });
    }

    private CompletableFuture<Void> ask(NodeHealth node, List<Integer> positions) {
        Question question = asked.new Question(of(positions), node);
        return question.decideLater(budget)
                .thenAccept(decision -> keep(decision, positions))
                .exceptionallyCompose(failure -> {
                    if (asked.isOfRule(failure)) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    if (failedAsWhole(failure, positions)) {
                        return askEach(node, positions);
                    }
                    miss(question.unanswered(), positions);
                    return CompletableFuture.completedFuture(null);
                });
    }

    /**
     * The charges that one place decides on: those of a request that waits, if these are all. A turn that one place has
     * given is lost when another one refuses: those behind it do not move up.
     */
    private List<Charge> of(List<Integer> positions) {
        boolean all = positions.size() == charges.size();
        return positions.stream()
                .map(charges::get)
                .map(charge -> all ? charge : charge.within(Duration.ZERO))
                .toList();
    }

    private CompletableFuture<Void> askEach(NodeHealth node, List<Integer> positions) {
        return CompletableFuture.allOf(
                positions.stream().map(position -> ask(node, List.of(position))).toArray(CompletableFuture[]::new));
    }

    /** One broken state fails all that are asked for together: each is asked for alone then. */
    private boolean failedAsWhole(Throwable failure, List<Integer> positions) {
        return positions.size() > 1 && asked.isOfOneState(failure);
    }

    private synchronized void keep(Decision decision, List<Integer> positions) {
        if (positions.size() == decisions.length) {
            whole = decision;
        }
        for (int i = 0; i < positions.size(); i++) {
            decisions[positions.get(i)] = decision.parts().get(i);
        }
    }

    private synchronized void miss(List<Unanswered> missing, List<Integer> positions) {
        for (int i = 0; i < positions.size(); i++) {
            unanswered.set(positions.get(i), missing.get(i));
        }
    }

    private synchronized void giveBack() {
        for (Decision decision : decisions) {
            if (decision != null) {
                decision.giveBack();
            }
        }
        unanswered.forEach(Unanswered::giveUp);
    }

    private synchronized Decision end() {
        Decision decided = whole;
        if (decided != null) {
            return decided;
        }
        List<Integer> left = new ArrayList<>(decisions.length);
        boolean refused = false;
        for (int i = 0; i < decisions.length; i++) {
            Decision decision = decisions[i];
            if (decision == null) {
                left.add(i);
            } else {
                refused |= !decision.permitted();
            }
        }
        List<Decision> others = refused ? outage.look(missing(left)) : outage.decide(missing(left));
        List<Decision> all = new ArrayList<>(decisions.length);
        int next = 0;
        for (Decision decision : decisions) {
            all.add(decision == null ? others.get(next++) : decision);
        }
        if (!all.stream().allMatch(Decision::permitted)) {
            all.forEach(Decision::giveBack);
        }
        return left.size() == all.size() ? Decision.allOf(all) : Decision.allApart(all);
    }

    /** The charges at those positions, as memory is asked for them. */
    private List<Unanswered> missing(List<Integer> positions) {
        List<Charge> asked = of(positions);
        return IntStream.range(0, asked.size())
                .mapToObj(i -> unanswered.get(positions.get(i)).as(asked.get(i)))
                .toList();
    }
}
