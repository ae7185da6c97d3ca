package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns moved up by a shared offset, against turns moved one by one. */
class TurnQueueTests {

    private static final int MANY = 16_000;

    private final TurnQueue queue = new TurnQueue(this);
    private int calls;

    /** One unit is one nanosecond. */
    private final class Turn implements QueuedTurn {

        private final Waiter waiter = new Waiter(List.of(), 0, () -> true, () -> {});
        private final long kept;
        private final long permits;
        private long nanos;

        /** The turn, moved up as soon as one before it was given up. */
        private long expected;

        Turn(long nanos, long permits, long kept) {
            this.nanos = nanos;
            this.expected = nanos;
            this.permits = permits;
            this.kept = kept;
        }

        @Override
        public Object state() {
            return TurnQueueTests.this;
        }

        @Override
        public long kept() {
            return kept;
        }

        @Override
        public long nanos() {
            calls++;
            return nanos;
        }

        @Override
        public long giveUp() {
            calls++;
            return permits;
        }

        @Override
        public void moveUp(long units) {
            calls++;
            nanos -= units;
        }
    }

    private TurnQueue.Place add(Turn turn) {
        return queue.add(turn.waiter, turn);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyTurnIsWhereItWouldBeIfEachWereMoved(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Turn> turns = new ArrayList<>();
        List<TurnQueue.Place> places = new ArrayList<>();
        long last = 0;
        for (int i = 0; i < 5_000; i++) {
            int event = random.nextInt(10);
            if (event < 5 + seed % 2 || turns.isEmpty()) {
                long permits = 1 + random.nextLong(1L << 40);
                turns.add(new Turn(last += permits, permits, 0));
                places.add(add(turns.get(turns.size() - 1)));
            } else {
                int one = random.nextInt(turns.size());
                Turn turn = turns.remove(one);
                TurnQueue.Place place = places.remove(one);
                if (event < 9) {
                    queue.giveUp(place);
                    turns.subList(one, turns.size()).forEach(behind -> behind.expected -= turn.permits);
                    last -= turn.permits;
                } else {
                    queue.remove(place);
                }
                assertThat(turn.nanos).as("seed %d", seed).isEqualTo(turn.expected);
            }
            if (!turns.isEmpty()) {
                int one = random.nextInt(turns.size());
                places.get(one).settle();
                assertThat(turns.get(one).nanos).as("seed %d", seed).isEqualTo(turns.get(one).expected);
            }
            assertThat(queue.isEmpty()).isEqualTo(turns.isEmpty());
        }
    }

    @Test
    void asksForTheFirstThatMovedUpOnly() {
        TurnQueue.Place first = add(new Turn(10, 10, 0));
        TurnQueue.Place second = add(new Turn(20, 10, 0));
        add(new Turn(30, 10, 0));
        TurnQueue.Place last = add(new Turn(40, 10, 0));
        assertThat(queue.firstMoved()).isEqualTo(Long.MAX_VALUE);
        queue.giveUp(last);
        assertThat(queue.firstMoved()).as("nothing was behind").isEqualTo(Long.MAX_VALUE);
        queue.giveUp(second);
        assertThat(queue.firstMoved()).as("that before it comes no later").isEqualTo(10);
        queue.remove(first);
        assertThat(queue.firstMoved()).isEqualTo(20);
    }

    @Test
    void aTurnBehindOneThatKeepsMoreForOthersMayComeBeforeIt() {
        Turn patient = new Turn(100, 10, 5);
        Turn hasty = new Turn(50, 10, 0);
        TurnQueue.Place before = add(new Turn(40, 10, 0));
        add(patient);
        add(hasty);
        queue.giveUp(before);
        assertThat(queue.firstMoved()).isEqualTo(40);
        assertThat(queue.come(39)).isEmpty();
        assertThat(queue.come(40)).containsExactly(hasty.waiter);
        assertThat(queue.firstMoved()).isEqualTo(90);
        assertThat(queue.come(90)).containsExactly(patient.waiter);
        assertThat(queue.firstMoved()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void givingUpInTheOrderOfArrivalTouchesAFewTurnsEach() {
        List<TurnQueue.Place> places = new ArrayList<>();
        for (int i = 1; i <= MANY; i++) {
            places.add(add(new Turn(i, 1, 0)));
        }
        calls = 0;
        for (TurnQueue.Place place : places) {
            queue.giveUp(place);
            queue.firstMoved();
        }
        assertThat(queue.isEmpty()).isTrue();
        assertThat(calls).isLessThanOrEqualTo(4 * MANY);
    }
}
