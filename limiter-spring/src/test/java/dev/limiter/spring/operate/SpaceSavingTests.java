package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.SpaceSaving.Count;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The list of most rejected keys misses no frequent key. */
class SpaceSavingTests {

    @Test
    void countsExactlyWhileThereAreCounters() {
        SpaceSaving<String> sketch = new SpaceSaving<>(3);
        for (String item : List.of("a", "b", "a", "c", "a", "b")) {
            sketch.add(item);
        }

        assertThat(sketch.counts())
                .containsExactlyInAnyOrder(new Count<>("a", 3, 0), new Count<>("b", 2, 0), new Count<>("c", 1, 0));
    }

    @Test
    void anItemWithoutACounterTakesTheLeast() {
        SpaceSaving<String> sketch = new SpaceSaving<>(2);
        for (String item : List.of("a", "a", "a", "b", "b", "c")) {
            sketch.add(item);
        }

        assertThat(sketch.counts()).containsExactlyInAnyOrder(new Count<>("a", 3, 0), new Count<>("c", 3, 2));
    }

    /**
     * The theorems of the paper: no count is too low, no count is too high by more than its error, and no frequent item
     * is missing.
     */
    @Test
    void keepsItsBoundsWhateverComes() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            int capacity = 1 + random.nextInt(20);
            int items = 1 + random.nextInt(100);
            int occurrences = random.nextInt(3000);
            SpaceSaving<Integer> sketch = new SpaceSaving<>(capacity);
            Map<Integer, Long> truth = new HashMap<>();
            for (int i = 0; i < occurrences; i++) {
                int item = (int) Math.abs(random.nextGaussian() * items / 4);
                sketch.add(item);
                truth.merge(item, 1L, Long::sum);
            }

            List<Count<Integer>> counts = sketch.counts();
            assertThat(counts).hasSize(Math.min(capacity, truth.size()));
            assertThat(counts.stream().mapToLong(Count::count).sum()).isEqualTo(occurrences);
            assertThat(counts)
                    .allSatisfy(count -> assertThat(truth.get(count.item()))
                            .isBetween(count.count() - count.error(), count.count()));
            long frequent = occurrences / capacity;
            assertThat(counts.stream().map(Count::item))
                    .containsAll(truth.keySet().stream()
                            .filter(item -> truth.get(item) > frequent)
                            .toList());
        }
    }
}
