package dev.limiter.spring.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.testkit.Conditions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** However fast rules change, listeners hear of it at a bounded rate, and of the last change in any case. */
class RulesChangedEventsTests {

    private static final int CHANGES = 10_000;

    private final List<Long> heard = new CopyOnWriteArrayList<>();

    private static RulesChanged change(long version) {
        return new RulesChanged(version, Set.of("orders"));
    }

    private void await(long version) {
        Conditions.await(() -> heard.contains(version));
    }

    @Test
    void manyChangesAreFewEvents() {
        long start = System.nanoTime();
        try (RulesChangedEvents events = new RulesChangedEvents(event -> heard.add(event.version()))) {
            for (int version = 1; version <= CHANGES; version++) {
                events.accept(change(version));
            }
            await(CHANGES);
            long periods = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / RulesChangedEvents.PERIOD_MILLIS;

            assertThat(heard).startsWith(1L, 2L, 3L).isSorted().doesNotHaveDuplicates();
            assertThat((long) heard.size()).isLessThanOrEqualTo((periods + 1) * RulesChangedEvents.MOST + 1);
        }
    }

    @Test
    void failureOfAListenerDoesNotEndThem() {
        try (RulesChangedEvents events = new RulesChangedEvents(event -> {
            heard.add(event.version());
            if (event.version() > RulesChangedEvents.MOST) {
                throw new IllegalStateException("a listener that fails");
            }
        })) {
            for (long version = 1; version <= RulesChangedEvents.MOST + 1; version++) {
                events.accept(change(version));
            }
            await(RulesChangedEvents.MOST + 1);
            for (long version = 1; version <= RulesChangedEvents.MOST; version++) {
                events.accept(change(-version));
            }
            await(-RulesChangedEvents.MOST);
        }
    }

    @Test
    void nothingIsToldLaterOnceItIsClosed() {
        RulesChangedEvents events = new RulesChangedEvents(event -> heard.add(event.version()));
        events.close();
        events.accept(change(1));
        events.accept(change(2));

        assertThat(heard).containsExactly(1L, 2L);
    }
}
