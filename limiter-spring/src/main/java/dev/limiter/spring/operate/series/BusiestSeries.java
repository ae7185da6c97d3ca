package dev.limiter.spring.operate.series;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** The series of those with the most decisions, so many at most. Not thread-safe. */
final class BusiestSeries<K> {

    private final int most;
    private final Map<K, CountSeries> series = new HashMap<>();

    BusiestSeries(int most) {
        this.most = most;
    }

    void sample(long sample, Map<K, Count> news) {
        series.forEach((key, known) -> known.set(sample, news.getOrDefault(key, Count.NONE)));
        news.forEach((key, count) -> {
            if (!series.containsKey(key) && hasRoomFor(count)) {
                CountSeries newcomer = new CountSeries();
                newcomer.set(sample, count);
                series.put(key, newcomer);
            }
        });
    }

    /** Has the one with the fewest decisions leave for one that had more of them in a second. */
    private boolean hasRoomFor(Count newcomer) {
        if (series.size() < most) {
            return true;
        }
        Map.Entry<K, CountSeries> quietest = series.entrySet().stream()
                .min((a, b) ->
                        Long.compare(a.getValue().decisions(), b.getValue().decisions()))
                .orElseThrow();
        return quietest.getValue().decisions() < newcomer.decisions() && series.remove(quietest.getKey()) != null;
    }

    void forEach(BiConsumer<K, CountSeries> action) {
        series.forEach(action);
    }
}
