package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.Changes.Target;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes are read as they were written, with any keys and reasons. */
class ChangesTextTests {

    private static final Instant END = Instant.parse("2026-12-01T08:00:00.000000001Z");

    private static Changes random(long seed) {
        Random random = new Random(seed);
        Map<Target, Change> all = new LinkedHashMap<>();
        for (int i = 0; i < 40; i++) {
            all.put(
                    new Target("Rule_" + random.nextInt(5), random.nextBoolean() ? null : text(random)),
                    new Change(
                            Map.of("limit", "" + random.nextLong(), "limits.per-day.window", text(random)),
                            random.nextLong(),
                            END,
                            text(random),
                            random.nextBoolean() ? null : text(random),
                            random.nextBoolean() ? null : END));
        }
        return new Changes(random.nextLong(), all);
    }

    private static String text(Random random) {
        String any = random.ints(random.nextInt(20), 0, 0xd800)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return any + new String[] {"", "null", "5", "&=%+\n\r\u0000", ": #", "2026-12-01", "'\"{[,"}[random.nextInt(7)];
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void areReadAsTheyWereWritten(long seed) {
        Changes changes = random(seed);
        assertThat(ChangesText.read(ChangesText.write(changes))).isEqualTo(changes);
    }

    /** A file may be truncated by a power failure. */
    @Test
    void areNotReadFromAPartOfTheText() {
        String text = ChangesText.write(random(9)).strip();
        for (int length = 0; length < text.length(); length += 1 + length / 50) {
            String cut = text.substring(0, length);
            assertThatThrownBy(() -> ChangesText.read(cut)).as(cut).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void areReadAsPeopleAndLaterVersionsWriteThem() {
        Changes read = ChangesText.read("""
                version: 3
                color: red
                changes:
                - rule: my-orders
                  set: { limit: 4, limits.Per-Day.limit: 5 }
                  version: 2
                  at: 2026-12-01T08:00:00Z
                  by: ann
                  later: { more: 1 }
                """);

        assertThat(read.version()).isEqualTo(3);
        assertThat(read.of("MyOrders"))
                .hasValueSatisfying(change ->
                        assertThat(change.settings()).isEqualTo(Map.of("limit", "4", "limits.perday.limit", "5")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{version: many, changes: []}",
                "{changes: []}",
                "{version: 1}",
                "{version: 1, changes: {}}",
                "{version: 1, changes: [{rule: a, set: {limit: 4}, version: 1, at: today, by: ann}]}",
                "{version: 1, changes: [{rule: a, version: 1, at: 2026-12-01T08:00:00Z, by: ann}]}",
                "{version: 1, changes: [{rule: a, set: {limit: {}}, version: 1, at: 2026-12-01T08:00:00Z, by: ann}]}",
                "!!javax.script.ScriptEngineManager []"
            })
    void nothingElseIsRead(String text) {
        assertThatThrownBy(() -> ChangesText.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Not a document of rule changes: ");
    }

    @Test
    void messagesDoNotQuoteKeys() {
        assertThatThrownBy(() -> ChangesText.read("{version: 1, changes: [{key: secret, ]}"))
                .hasMessageNotContaining("secret");
    }
}
