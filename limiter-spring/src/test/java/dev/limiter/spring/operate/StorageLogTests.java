package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A missing right or a damaged state in Redis is logged once in a while. */
class StorageLogTests {

    private final LogLines lines = new LogLines();
    private final StorageLog log = new StorageLog("Valkey", "Its states are damaged", lines);

    @Test
    void namesAMissingRightOnceInAWhile() {
        StorageListeners listeners = new StorageListeners(List.of(log));
        for (int i = 0; i < 1000; i++) {
            listeners.lacksRight("The user lacks a right: it may not RPUSH");
        }
        assertThat(lines.lines()).hasSize(1).allMatch(line -> line.matches("WARN .*it may not RPUSH.*on-failure.*"));
    }

    @Test
    void aBrokenStateDoesNotHideAMissingRight() {
        log.broken("WRONGTYPE");
        log.lacksRight("it may not RPUSH");
        assertThat(lines.lines())
                .satisfiesExactly(
                        broken -> assertThat(broken)
                                .startsWith("WARN Its states are damaged. Until this is repaired")
                                .endsWith("WRONGTYPE"),
                        right -> assertThat(right).startsWith("WARN it may not RPUSH"));
    }
}
