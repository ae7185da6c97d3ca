package dev.limiter.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.migration.MigrationPage;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The example of {@code docs/migration/from-spring-cloud-gateway.md}: the gateway's script on Redis, with the arguments
 * that its filter would pass, and Limiter reject the same request.
 */
class GatewayMigrationTests {

    @Test
    void rejectTheSameRequest() throws Exception {
        assumeTrue(LocalRedis.program().isPresent(), "no redis-server on the PATH");
        String yaml =
                MigrationPage.of("from-spring-cloud-gateway.md").blocks("yaml").get(0);
        assertThat(yaml)
                .contains("redis-rate-limiter.replenishRate: 1\n")
                .contains("redis-rate-limiter.burstCapacity: 300\n")
                .contains("redis-rate-limiter.requestedTokens: 60\n");
        byte[][] keys = Contenders.bytes(new String[] {"{orders}.tokens", "{orders}.timestamp"});
        byte[][] arguments = Contenders.bytes(new String[] {"1", "300", "", "60"});
        RateLimiters limiters = RateLimiters.builder().build();
        Rule orders =
                Rule.of("orders", Limit.tokenBucket(1, Duration.ofMinutes(1)).burst(5));
        try (LocalRedis server = LocalRedis.start()) {
            assertThat(firstRejected(() -> server.commands()
                            .<List<Object>>eval(
                                    Contenders.bytes(new String[] {Peers.gatewayScript()})[0],
                                    ScriptOutputType.MULTI,
                                    keys,
                                    arguments)
                            .get(0)
                            .equals(1L)))
                    .isEqualTo(firstRejected(
                            () -> limiters.tryAcquire(orders, "alice").permitted()))
                    .isEqualTo(6);
        }
    }

    private static int firstRejected(BooleanSupplier permits) {
        return IntStream.rangeClosed(1, 50)
                .filter(request -> !permits.getAsBoolean())
                .findFirst()
                .orElseThrow();
    }
}
