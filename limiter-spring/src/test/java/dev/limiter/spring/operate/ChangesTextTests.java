package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.operate.RuleChange.Signature;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.Mode;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes are read as they were written, with any keys and reasons. */
class ChangesTextTests {

    private static final Instant END = Instant.parse("2026-12-01T08:00:00.000000001Z");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void isReadAsItWasWritten(long seed) {
        Random random = new Random(seed);
        Changes changes = Changes.NONE.after(Changes.NONE).after(Changes.NONE.renewed());
        for (int i = 0; i < 40; i++) {
            changes = changes.with(
                            "rule" + random.nextInt(5),
                            new RuleChange(
                                    random.nextBoolean() ? null : "limit" + random.nextInt(3),
                                    random.nextLong(),
                                    random.nextBoolean() ? null : "10s",
                                    random.nextBoolean() ? null : 7L,
                                    random.nextBoolean() ? null : Mode.SHADOW,
                                    random.nextBoolean() ? null : "0.5%",
                                    random.nextBoolean()
                                            ? null
                                            : new Signature(
                                                    END, text(random), random.nextBoolean() ? null : text(random))))
                    .with(
                            "Rule_" + random.nextInt(5),
                            new KeyOverride(
                                    text(random),
                                    random.nextBoolean() ? null : text(random),
                                    random.nextInt(9),
                                    END,
                                    random.nextBoolean() ? null : text(random)));
        }
        assertThat(ChangesText.read(changes.revision(), ChangesText.write(changes)))
                .isEqualTo(changes);
    }

    private static String text(Random random) {
        return random.ints(random.nextInt(20) + 1, 0, 0xd800)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .append("&=%+\n\r\u0000")
                .toString();
    }

    @Test
    void linesOfLaterVersionsAreLeftOut() {
        Changes read = ChangesText.read(
                Changes.Revision.parse("3"),
                "candidate&rule=orders&limit=5\nchange&rule=orders&limit=4&colour=red\n\n");

        assertThat(read.isSameAs(Changes.NONE.with("orders", new RuleChange(null, 4L, null, null, null, null))))
                .isTrue();
        assertThat(read.version()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "change&limit=4",
                "change&rule=orders&limit=four",
                "change&rule=orders&mode=loud",
                "override&rule=orders&key=a&limit=1",
                "override&rule=orders&key=a&limit=1&until=tomorrow",
                "override&rule=orders&limit=1&until=2026-12-01T08:00:00Z",
                "change&rule=%zz&limit=1"
            })
    void whatIsNoChangeIsTold(String line) {
        assertThatThrownBy(() ->
                        ChangesText.read(Changes.Revision.parse("1"), "change&rule=orders&limit=1\n" + line + "\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "5-", "5-XY", "5 6", "5\u0000", "99999999999999999999"})
    void whatIsNoRevisionIsTold(String text) {
        assertThatThrownBy(() -> Changes.Revision.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no revision");
    }

    @Test
    void someRevisionsBeforeAreKnown() {
        Changes changes = Changes.NONE;
        for (int i = 0; i < 30; i++) {
            Changes next = changes.after(changes);
            assertThat(next.before()).startsWith(changes.revision()).hasSize(Math.min(i + 1, 20));
            changes = next;
        }
    }

    @Test
    void cutLinesAreTold() {
        assertThatThrownBy(() -> ChangesText.read(Changes.Revision.parse("1"), "change&rule=orders&limit=20"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cut");
    }

    @Test
    void laterChangeTakesThePlaceOfWhatItSays() {
        RuleChange first = new RuleChange("per-day", 5L, "1d", null, Mode.SHADOW, null).signed(signature("ann"));
        RuleChange second = new RuleChange("PerDay", null, "10s", null, Mode.OFF, null).signed(signature("bob"));
        RuleChange third = new RuleChange("per-hour", 7L, null, null, null, null);
        Changes one = Changes.NONE.with("orders", first).after(Changes.NONE);
        Changes two = one.with("Orders", second).after(one);

        assertThat(two.with("orders", third).rules().get("orders"))
                .containsExactly(
                        new RuleChange("per-day", 5L, null, null, null, null, new Signature(1, END, "ann", "why")),
                        new RuleChange(
                                "PerDay", null, "10s", null, Mode.OFF, null, new Signature(2, END, "bob", "why")),
                        third);
        assertThat(two.with("orders", new RuleChange("perday", 6L, "6s", null, Mode.OFF, null))
                        .rules()
                        .get("orders"))
                .hasSize(1);
    }

    @Test
    void sameSettingsAreTheSameWhoeverHasChangedThem() {
        RuleChange change = new RuleChange(null, 5L, "1d", null, null, null);
        Changes ann = Changes.NONE.with("orders", change.signed(signature("ann")));

        assertThat(ann.isSameAs(Changes.NONE
                        .with("orders", new RuleChange(null, null, "1d", null, null, null).signed(signature("bob")))
                        .with("orders", new RuleChange(null, 5L, null, null, null, null))))
                .isTrue();
        assertThat(ann.isSameAs(ann.with("orders", new RuleChange(null, 6L, null, null, null, null))))
                .isFalse();
        assertThat(ann.isSameAs(Changes.NONE.with("others", change))).isFalse();
    }

    private static Signature signature(String name) {
        return new Signature(END, name, "why");
    }

    @Test
    void overridesAreBoundedAndThoseThatAreOverAreLeftOut() {
        Changes changes = Changes.NONE;
        for (int i = 0; i < Changes.MOST_OVERRIDES; i++) {
            changes = changes.with("rule" + i % 7, new KeyOverride("key" + i, null, 1, END.plusSeconds(i), null));
        }
        Changes full = changes;
        assertThat(full.with("rule0", new KeyOverride("key0", null, 2, END, null))
                        .overrides()
                        .get("rule0"))
                .contains(new KeyOverride("key0", null, 2, END, null));
        assertThatThrownBy(() -> full.with("rule0", new KeyOverride("one more", null, 1, END, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit-resolver");

        Changes later = full.at(END.plusSeconds(Changes.MOST_OVERRIDES - 2));
        assertThat(later.overrides().values().stream().flatMap(some -> some.stream()))
                .hasSize(1);
    }
}
