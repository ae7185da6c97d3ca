package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import jakarta.servlet.http.HttpSession;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.GetMapping;

/** The client data that a reader of Redis can find. */
@Yml("""
        limiter:
          storage: redis
          redis: { timeout: 5s, key-prefix: 'privacy:', key-secret: a-secret-of-this-application }
          rules:
            bucket: { key: header:X-Api-Key, limit: 10, window: 1h, paths: /secret, ban: { after: 1, within: 1h, for: 1h } }
            log: { key: [cookie:token, param:code], limit: 10, window: 1h, algorithm: sliding-window-log, paths: /secret }
            held: { key: session, limit: 10, algorithm: concurrency, paths: /secret }
            two: { key: "tenant,#request.getHeader('X-Api-Key')",
                limits: { short: { limit: 10, window: 1h },
                    long: { limit: 100, window: 1d, algorithm: sliding-window-counter } }, paths: /secret }
            address: { key: ip, limit: 10, window: 1h, paths: /secret }
        """)
class RedisPrivacyTests extends WebTestSupport {

    static final String PREFIX = "privacy:";

    @Autowired
    private RateLimiterStorage storage;

    @Autowired
    private Endpoints redis;

    @DynamicPropertySource
    static void server(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.port", () -> RedisServer.shared().port());
    }

    @Test
    void noSecretIsInRedisInClear() throws Exception {
        awaitRedis();
        String session = get("/session").body();
        for (String apiKey : List.of("api-secret", "long-secret-".repeat(40))) {
            HttpResponse<String> answer = get(
                    "/secret?code=param-secret",
                    "X-Api-Key",
                    apiKey,
                    "X-Tenant",
                    "tenant-secret",
                    "Cookie",
                    "token=cookie-secret; JSESSIONID=" + session);
            assertThat(answer.statusCode()).isEqualTo(200);
        }

        assertThat(redis.seen)
                .contains("{bucket:header:x-api-key=hmac:", "{log:cookie:token=hmac:", "{held:session=hmac:")
                .contains("{two:tenant=hmac:", "{address:ip=9:127.0.0.1}")
                .doesNotContainIgnoringCase("-secret")
                .doesNotContain(session);
        assertThat(redis.seen.lines().filter(line -> line.startsWith(PREFIX)))
                .as("keys, also of values of any length")
                .hasSizeGreaterThan(7)
                .allSatisfy(key -> assertThat(key.length()).isLessThan(200));
    }

    /** Connects in the background. */
    private void awaitRedis() {
        Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        await(() -> storage.decide(any, "nobody", 0).onFailure().isEmpty());
    }

    /** Returns all keys with the prefix, each with its content as the server would dump it. */
    private static String everything() {
        RedisClient client = RedisClient.create(
                RedisURI.create("127.0.0.1", RedisServer.shared().port()));
        try (var connection = client.connect(StringCodec.UTF8)) {
            RedisCommands<String, String> redis = connection.sync();
            redis.configSet("rdbcompression", "no");
            StringBuilder all = new StringBuilder();
            TreeSet<String> keys = new TreeSet<>(ScanIterator.scan(redis).stream()
                    .filter(key -> key.startsWith(PREFIX))
                    .toList());
            for (String key : keys) {
                byte[] content = redis.dump(key);
                // null: expired since
                all.append(key).append('\n');
                all.append(content == null ? "" : new String(content, StandardCharsets.ISO_8859_1))
                        .append('\n');
            }
            return all.toString();
        } finally {
            client.shutdown();
        }
    }

    @TestApplication
    static class Endpoints {

        @Bean
        static KeyResolver tenant() {
            return context ->
                    context.request() == null ? null : context.request().getHeader("X-Tenant");
        }

        private volatile String seen = "";

        @GetMapping("/session")
        String session(HttpSession session) {
            return session.getId();
        }

        /** Reads Redis while the request holds a permit. */
        @GetMapping("/secret")
        String secret() {
            seen = everything();
            return "served";
        }
    }
}
