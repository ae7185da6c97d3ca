package dev.limiter.spi;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Combines the decisions on several charges. Reports the values of the one that decided, and the limits of all. */
final class CombinedDecision extends AbstractDecision {

    private final List<AbstractDecision> parts;
    private final boolean apart;
    private final AbstractDecision decisive;

    /** Creates a combination; {@code apart} as in {@link AbstractDecision#allApart}. */
    CombinedDecision(List<? extends Decision> parts, boolean apart) {
        // without a stream: this is part of each decision on several rules
        AbstractDecision[] known = new AbstractDecision[parts.size()];
        AbstractDecision first = AbstractDecision.of(parts.get(0));
        for (int i = 0; i < known.length; i++) {
            known[i] = AbstractDecision.of(parts.get(i));
            if (outranks(known[i], first)) {
                first = known[i];
            }
        }
        this.parts = List.of(known);
        this.apart = apart;
        this.decisive = first;
    }

    /**
     * Returns whether {@code a} decides over {@code b}: rejections first, then the longer wait, then the fewer permits
     * left.
     */
    private static boolean outranks(AbstractDecision a, AbstractDecision b) {
        if (a.permitted() != b.permitted()) {
            return b.permitted();
        }
        long waitA = a.waitNanos(a.deciding());
        long waitB = b.waitNanos(b.deciding());
        return waitA != waitB ? waitA > waitB : a.remaining() < b.remaining();
    }

    @Override
    public boolean permitted() {
        return decisive.permitted();
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return decisive.onFailure();
    }

    @Override
    public boolean sharesState() {
        return decisive.sharesState();
    }

    @Override
    public Rule rule() {
        return decisive.rule();
    }

    @Override
    public List<Decision> parts() {
        return List.copyOf(parts);
    }

    @Override
    public List<LimitStatus> limits() {
        List<LimitStatus> statuses = new ArrayList<>();
        parts.forEach(part -> statuses.addAll(part.limits()));
        return statuses;
    }

    @Override
    public boolean isApart() {
        return apart;
    }

    @Override
    protected long delayNanos() {
        return permitted()
                ? parts.stream().mapToLong(AbstractDecision::delayNanos).max().orElse(0)
                : 0;
    }

    @Override
    public long turnNanos() {
        return parts.stream().mapToLong(AbstractDecision::turnNanos).max().orElse(Long.MIN_VALUE);
    }

    @Override
    public void giveBack() {
        each(parts.iterator(), Decision::giveBack);
    }

    @Override
    public void close() {
        each(parts.iterator(), Decision::close);
    }

    /** Calls all decisions even if some throw, then rethrows. */
    private static void each(Iterator<? extends Decision> parts, Consumer<Decision> call) {
        try {
            while (parts.hasNext()) {
                call.accept(parts.next());
            }
        } finally {
            if (parts.hasNext()) {
                each(parts, call);
            }
        }
    }

    @Override
    protected long remaining(int limit) {
        return decisive.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return decisive.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return decisive.resetNanos(limit);
    }

    @Override
    protected int deciding() {
        return decisive.deciding();
    }
}
