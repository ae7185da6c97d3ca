package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A full storage is reported once. */
@ExtendWith(OutputCaptureExtension.class)
class FullStorageTests {

    private final Rule rule = Rule.of("orders", Limit.tokenBucket(10, Duration.ofHours(1)));
    private final InMemoryRateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), new VirtualTimeSource(), 3);
    private final StorageCleaner cleaner = new StorageCleaner(storage, 3);

    @Test
    void warnsOnceWhenTheStorageIsFull(CapturedOutput output) {
        use(0, 2);
        assertThat(output).doesNotContain("max-keys");

        use(2, 10);
        use(10, 20);

        assertThat(output).contains("WARN", "limiter.max-keys = 3", "Raise limiter.max-keys", "[LIM-907]");
        assertThat(output.toString().split("logged only once", -1)).hasSize(2);
    }

    private void use(int from, int to) {
        for (int i = from; i < to; i++) {
            storage.decide(rule, "client" + i, 1);
        }
        cleaner.clean();
    }
}
