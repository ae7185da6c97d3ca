package dev.limiter.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StorageLogTests {

    @Test
    void namesAMissingRightOnceInAWhile(CapturedOutput output) {
        StorageListeners listeners = new StorageListeners(List.of(new StorageLog()));
        for (int i = 0; i < 1000; i++) {
            listeners.lacksRight("The user lacks a right: it may not RPUSH");
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("it may not RPUSH")))
                .hasSize(1)
                .allMatch(line -> line.contains("WARN") && line.contains("on-failure"));
    }

    @Test
    void aBrokenStateDoesNotHideAMissingRight(CapturedOutput output) {
        StorageLog log = new StorageLog();
        log.broken("WRONGTYPE");
        log.lacksRight("it may not RPUSH");
        assertThat(output).contains("WRONGTYPE", "it may not RPUSH");
    }
}
