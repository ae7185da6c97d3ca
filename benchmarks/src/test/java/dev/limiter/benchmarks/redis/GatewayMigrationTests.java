package dev.limiter.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.limiter.benchmarks.migration.MigrationPage;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The example of {@code docs/migration/from-spring-cloud-gateway.md}: the gateway's script on Redis, with the arguments
 * that its filter would pass, and Limiter reject the same request.
 */
class GatewayMigrationTests {

    @Test
    @Tag("long")
    void rejectTheSameRequest() throws Exception {
        assumeTrue(LocalRedis.program().isPresent(), "no redis-server on the PATH");
        List<String> examples = MigrationPage.of("from-spring-cloud-gateway.md").blocks("yaml");
        assertThat(examples.get(0))
                .contains("redis-rate-limiter.replenishRate: 1\n")
                .contains("redis-rate-limiter.burstCapacity: 300\n")
                .contains("redis-rate-limiter.requestedTokens: 60\n");
        try (LocalRedis server = LocalRedis.start();
                var application = MigrationPage.application(
                                examples.get(1), "bucket4j.enabled=false", "spring.cache.type=none")
                        .sources(Shop.class)
                        .run()) {
            assertThat(firstRejected(() -> isPermittedByGateway(server)))
                    .isEqualTo(firstRejected(() -> MigrationPage.get(application, "/orders/42") == 200))
                    .isEqualTo(6);
        }
    }

    private static boolean isPermittedByGateway(LocalRedis server) {
        byte[] script = Contenders.bytes(new String[] {Peers.gatewayScript()})[0];
        byte[][] keys = Contenders.bytes(new String[] {"{orders}.tokens", "{orders}.timestamp"});
        byte[][] arguments = Contenders.bytes(new String[] {"1", "300", "", "60"});
        List<Object> reply = server.commands().eval(script, ScriptOutputType.MULTI, keys, arguments);
        return reply.get(0).equals(1L);
    }

    private static int firstRejected(Callable<Boolean> permits) throws Exception {
        for (int request = 1; request <= 50; request++) {
            if (!permits.call()) {
                return request;
            }
        }
        throw new AssertionError("50 requests were permitted");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Shop {}

    @RestController
    static class Orders {

        @GetMapping("/orders/{id}")
        String order() {
            return "order";
        }
    }
}
