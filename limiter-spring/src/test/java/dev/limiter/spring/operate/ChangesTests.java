package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.operate.Changes.Target;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Changes of rules and keys are merged, bounded and end in time. */
class ChangesTests {

    private static final Instant NOW = Instant.parse("2026-12-01T08:00:00Z");

    private static Change change(String by, Map<String, String> settings) {
        return new Change(settings, 0, NOW, by, null, null);
    }

    private static List<Target> rule(String name) {
        return List.of(new Target(name, null));
    }

    @Test
    void aLaterChangeIsOverTheEarlierOneAndSignsForBoth() {
        Changes changes = Changes.NONE
                .with(rule("orders"), change("ann", Map.of("limits.per-day.limit", "5", "mode", "off")))
                .with(rule("Orders"), change("bob", Map.of("limits.PerDay.limit", "6", "rollout", "10%")));

        assertThat(changes.version()).isEqualTo(2);
        assertThat(changes.all()).hasSize(1);
        assertThat(changes.of("ORDERS"))
                .hasValue(new Change(
                        Map.of("limits.perday.limit", "6", "mode", "off", "rollout", "10%"),
                        2,
                        NOW,
                        "bob",
                        null,
                        null));
    }

    @Test
    void eachKeyHasAChangeOfItsOwn() {
        Changes changes = Changes.NONE
                .with(rule("orders"), change("ann", Map.of("limit", "5")))
                .with(
                        List.of(new Target("orders", "a"), new Target("orders", "b")),
                        change("ann", Map.of("limit", "6")));

        assertThat(changes.ofKeys("orders").keySet()).containsExactly("a", "b");
        assertThat(changes.without(target -> "a".equals(target.key())).all()).hasSize(2);
        assertThat(changes.without(target -> false)).isSameAs(changes);
    }

    @Test
    void keysAreBoundedAndThoseThatAreOverAreLeftOut() {
        List<Target> keys = IntStream.range(0, Changes.MOST_KEYS)
                .mapToObj(i -> new Target("rule" + i % 7, "key" + i))
                .toList();
        Change change = new Change(Map.of("limit", "1"), 0, NOW, "ann", null, NOW.plusSeconds(5));
        Changes full = Changes.NONE.with(keys, change);

        assertThat(full.with(keys.subList(0, 1), change).all()).hasSize(Changes.MOST_KEYS);
        assertThatThrownBy(() -> full.with(List.of(new Target("rule", "one more")), change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit-resolver");
        assertThat(full.firstEnd()).hasValue(NOW.plusSeconds(5));
        assertThat(full.at(NOW.plusSeconds(4)).all()).hasSize(Changes.MOST_KEYS);
        assertThat(full.at(NOW.plusSeconds(5)).all()).isEmpty();
    }
}
