package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.testkit.ChildJvm;
import dev.limiter.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A JVM is killed (-9) while it holds a lease of a sliding limit: the permits are free when their window is over. */
@Tag("long")
class KilledInstanceTests {

    private Process process;
    private BufferedReader output;

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder(ChildJvm.command(
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SeveralJvmTests.Instance.class.getName(),
                        "" + RedisServer.shared().port()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() {
        process.destroyForcibly();
    }

    private void send(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    @Test
    void itsLeaseIsFreeAfterTheWindow() throws IOException {
        String prefix = "killed-" + System.nanoTime() + ":";
        send(prefix + " sliding-log 20");
        assertThat(output.readLine()).isEqualTo("ready");
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(SeveralJvmTests.SLIDING_LIMIT, SeveralJvmTests.SLIDING));
        try (RedisRateLimiterStorage other = RedisRateLimiterStorage.builder(SharedRedis.redis())
                .keyPrefix(prefix)
                .timeout(Duration.ofSeconds(10))
                .lease(leased -> 20)
                .build()) {
            send("go");
            await(() -> other.peek(rule, "key").remaining() < SeveralJvmTests.SLIDING_LIMIT);
            process.destroyForcibly();

            await(() -> other.peek(rule, "key").remaining() == SeveralJvmTests.SLIDING_LIMIT);
            assertThat(other.decide(rule, "key", SeveralJvmTests.SLIDING_LIMIT).permitted())
                    .isTrue();
        }
    }
}
