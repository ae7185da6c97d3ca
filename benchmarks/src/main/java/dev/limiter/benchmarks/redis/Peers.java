package dev.limiter.benchmarks.redis;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The other libraries of the comparison. Their client-side state for each key is created before. */
final class Peers implements AutoCloseable {

    private static final String GATEWAY_SCRIPT = "/META-INF/scripts/request_rate_limiter.lua";

    private final LocalRedis server;
    private final RedissonClient redisson;

    Peers(LocalRedis server) {
        this.server = server;
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + server.port());
        this.redisson = Redisson.create(config);
    }

    /** An empty call on its own; decisions that share calls can cost less. */
    Contender.Decider empty() {
        RedisAsyncCommands<byte[], byte[]> commands = server.connect().async();
        String digest = server.commands().scriptLoad("return 1");
        byte[][][] keys = each(Contenders.bytes(Contenders.keys("empty:")));
        return key -> {
            Long one = commands.<Long>evalsha(digest, ScriptOutputType.INTEGER, keys[key])
                    .get(10, TimeUnit.SECONDS);
            return one == 1;
        };
    }

    /** Reports the remaining permits and the time of the next one. */
    Contender.Decider bucket4j(Contenders.Terms terms) {
        ProxyManager<byte[]> manager = Bucket4jLettuce.casBasedBuilder(server.connect())
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(1)))
                .build();
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(bandwidth -> bandwidth.capacity(terms.limit()).refillGreedy(terms.limit(), terms.window()))
                .build();
        Bucket[] buckets = Arrays.stream(Contenders.bytes(Contenders.keys(terms.rule() + ":")))
                .map(key -> manager.builder().build(key, () -> configuration))
                .toArray(Bucket[]::new);
        return key -> {
            ConsumptionProbe probe = buckets[key].tryConsumeAndReturnRemaining(1);
            if (probe.getRemainingTokens() < 0 || probe.getNanosToWaitForReset() < 0) {
                throw new IllegalStateException("Impossible result: " + probe);
            }
            return probe.isConsumed();
        };
    }

    Contender.Decider redisson(Contenders.Terms terms) {
        RRateLimiter[] limiters = Arrays.stream(Contenders.keys(terms.rule() + ":"))
                .map(redisson::getRateLimiter)
                .toArray(RRateLimiter[]::new);
        for (RRateLimiter limiter : limiters) {
            limiter.trySetRate(RateType.OVERALL, terms.limit(), terms.window());
        }
        return key -> limiters[key].tryAcquire();
    }

    /**
     * Calls the script of Spring Cloud Gateway with its arguments, over Lettuce without the reactive layers. It
     * counts whole seconds, and reports the remaining permits.
     */
    Contender.Decider gateway(Contenders.Terms terms) {
        RedisAsyncCommands<byte[], byte[]> commands = server.connect().async();
        String digest = server.commands().scriptLoad(gatewayScript());
        String[] tags = Contenders.keys("request_rate_limiter.{" + terms.rule() + ".");
        byte[][][] keys = new byte[tags.length][][];
        for (int i = 0; i < tags.length; i++) {
            keys[i] = Contenders.bytes(new String[] {tags[i] + "}.tokens", tags[i] + "}.timestamp"});
        }
        double perSecond = terms.limit() / (terms.window().toNanos() / 1e9);
        byte[][] arguments = Contenders.bytes(new String[] {"" + perSecond, "" + terms.limit(), "", "1"});
        return key -> {
            List<Object> answer = commands.<List<Object>>evalsha(digest, ScriptOutputType.MULTI, keys[key], arguments)
                    .get(10, TimeUnit.SECONDS);
            return (Long) answer.get(0) == 1 && (Long) answer.get(1) >= 0;
        };
    }

    static String gatewayScript() {
        try (InputStream script = Peers.class.getResourceAsStream(GATEWAY_SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException("No resource " + GATEWAY_SCRIPT + ": the build takes it from its jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[][][] each(byte[][] keys) {
        return Arrays.stream(keys).map(key -> new byte[][] {key}).toArray(byte[][][]::new);
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
