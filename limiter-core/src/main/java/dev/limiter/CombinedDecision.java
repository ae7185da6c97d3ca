package dev.limiter;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The decisions on several charges: speaks for the one that decided, and lists the limits of all. */
final class CombinedDecision extends Decision {

    private final List<Decision> parts;
    private final boolean apart;
    private final Decision spokesman;

    /** {@code apart}: as for {@link Decision#allApart}. */
    CombinedDecision(List<? extends Decision> parts, boolean apart) {
        this.parts = List.copyOf(parts);
        this.apart = apart;
        Decision first = this.parts.get(0);
        for (Decision part : this.parts) {
            if (outranks(part, first)) {
                first = part;
            }
        }
        this.spokesman = first;
    }

    /** A rejection before a permission, the longer wait before the shorter, the smaller rest before the larger. */
    private static boolean outranks(Decision a, Decision b) {
        if (a.permitted() != b.permitted()) {
            return b.permitted();
        }
        long waitA = a.waitNanos(a.deciding());
        long waitB = b.waitNanos(b.deciding());
        return waitA != waitB ? waitA > waitB : a.remaining() < b.remaining();
    }

    @Override
    public boolean permitted() {
        return spokesman.permitted();
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return spokesman.onFailure();
    }

    @Override
    public boolean sharesState() {
        return spokesman.sharesState();
    }

    @Override
    public Rule rule() {
        return spokesman.rule();
    }

    @Override
    public List<Decision> parts() {
        return parts;
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
                ? parts.stream().mapToLong(Decision::delayNanos).max().orElse(0)
                : 0;
    }

    @Override
    protected long turn() {
        return parts.stream().mapToLong(Decision::turn).max().orElse(Long.MIN_VALUE);
    }

    @Override
    public void giveBack() {
        each(parts.iterator(), Decision::giveBack);
    }

    @Override
    public void close() {
        each(parts.iterator(), Decision::close);
    }

    /** Goes on with the others where one throws, and throws that then. */
    private static void each(Iterator<Decision> parts, Consumer<Decision> call) {
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
        return spokesman.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return spokesman.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return spokesman.resetNanos(limit);
    }

    @Override
    protected int deciding() {
        return spokesman.deciding();
    }
}
