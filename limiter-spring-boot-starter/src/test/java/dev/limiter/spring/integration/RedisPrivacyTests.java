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
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The data about clients that a reader of all of Redis finds there. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "limiter.storage=redis",
            "limiter.redis.timeout=5s",
            "limiter.redis.key-prefix=" + RedisPrivacyTests.PREFIX,
            "limiter.redis.key-secret=a-secret-of-this-application",
            "limiter.rules.bucket.key=header:X-Api-Key",
            "limiter.rules.bucket.limit=10",
            "limiter.rules.bucket.window=1h",
            "limiter.rules.bucket.paths=/secret",
            "limiter.rules.bucket.ban.after=1",
            "limiter.rules.bucket.ban.within=1h",
            "limiter.rules.bucket.ban.for=1h",
            "limiter.rules.log.key=cookie:token,param:code",
            "limiter.rules.log.limit=10",
            "limiter.rules.log.window=1h",
            "limiter.rules.log.algorithm=sliding-window-log",
            "limiter.rules.log.paths=/secret",
            "limiter.rules.held.key=session",
            "limiter.rules.held.limit=10",
            "limiter.rules.held.algorithm=concurrency",
            "limiter.rules.held.paths=/secret",
            "limiter.rules.two.key=tenant,#request.getHeader('X-Api-Key')",
            "limiter.rules.two.limits.short.limit=10",
            "limiter.rules.two.limits.short.window=1h",
            "limiter.rules.two.limits.long.limit=100",
            "limiter.rules.two.limits.long.window=1d",
            "limiter.rules.two.limits.long.algorithm=sliding-window-counter",
            "limiter.rules.two.paths=/secret",
            "limiter.rules.address.key=ip",
            "limiter.rules.address.limit=10",
            "limiter.rules.address.window=1h",
            "limiter.rules.address.paths=/secret",
        })
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

    /** The names of all keys below the prefix, each with what is in it as the server would hand it on. */
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
                all.append(key).append('\n');
                all.append(new String(redis.dump(key), StandardCharsets.ISO_8859_1))
                        .append('\n');
            }
            return all.toString();
        } finally {
            client.shutdown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {

        @Bean
        KeyResolver tenant() {
            return context ->
                    context.request() == null ? null : context.request().getHeader("X-Tenant");
        }
    }

    @RestController
    static class Endpoints {

        private volatile String seen = "";

        @GetMapping("/session")
        String session(HttpSession session) {
            return session.getId();
        }

        /** Looks while the request holds a permit. */
        @GetMapping("/secret")
        String secret() {
            seen = everything();
            return "served";
        }
    }
}
