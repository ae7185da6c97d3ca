package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.ReleaseListeners;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A cell becomes garbage when its limits change, however long its key is in use. */
class FormerCellsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RateLimiterFactory factory = new RateLimiterFactory();
    private final VirtualTime time = new VirtualTime();
    private final Cells cells = new Cells(10, time, new ReleaseListeners(), new Eviction(10, time));

    /** Two versions of a rule, also with one more limit that the other does not have. */
    static Stream<List<List<Limit>>> changes() {
        return Stream.of(
                        List.of(Limit.tokenBucket(10, MINUTE), Limit.tokenBucket(20, MINUTE)),
                        List.of(Limit.slidingWindowLog(10, MINUTE), Limit.slidingWindowLog(20, MINUTE)),
                        // each starts unused
                        List.of(Limit.tokenBucket(10, MINUTE), Limit.concurrency(10)))
                .flatMap(change -> Stream.of(
                        List.of(List.of(change.get(0)), List.of(change.get(1))),
                        List.of(
                                List.of(
                                        change.get(0),
                                        Limit.fixedWindow(9, MINUTE).named("own")),
                                List.of(
                                        change.get(1),
                                        Limit.fixedWindow(9, MINUTE).named("other")))));
    }

    private BoundRule bind(List<Limit> limits) {
        CompiledLimit[] compiled =
                limits.stream().map(limit -> factory.compile(limit, time.now())).toArray(CompiledLimit[]::new);
        return new BoundRule(Rule.of("rule", limits.toArray(Limit[]::new)), compiled, cells);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void isNotKeptBySuccessors(List<List<Limit>> change) {
        List<BoundRule> versions = change.stream().map(this::bind).toList();
        List<WeakReference<Cell>> former = new ArrayList<>();
        Cell last = goOn(versions, former);
        Memory.awaitUntil(() -> former.stream().allMatch(cell -> cell.get() == null));
        assertThat(last.isDead()).isFalse();
    }

    /** Changes the limits of a key several times, and uses it in between. */
    private Cell goOn(List<BoundRule> versions, List<WeakReference<Cell>> former) {
        Cell cell = versions.get(0).newCell("key");
        for (int i = 1; i < 10; i++) {
            Decision decision = Objects.requireNonNull(cell.decide(1, time.now(), time));
            assertThat(decision.permitted()).isTrue();
            former.add(new WeakReference<>(cell));
            cell = Objects.requireNonNull(cell.succeed(versions.get(i % versions.size()), time));
        }
        return cell;
    }
}
