package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.AheadOfTime;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that was processed ahead of time has the same limits as without processing. */
@Tag("each-line")
@Tag("long")
class AheadOfTimeTests {

    private static final String[] PROPERTIES = {
        "limiter.web.default-limit.limit=3",
        "limiter.web.default-limit.window=1h",
        "limiter.rules.catalog.paths=/catalog",
        "limiter.rules.catalog.limit=1",
        "limiter.rules.catalog.window=1h",
        "limiter.rules.catalog.key=#request.getHeader('X-Api-Key')",
        "limiter.rules.catalog.tier-by=#{@'dev.limiter.compatibility.AheadOfTimeApplication$Plans'.of(#request)}",
        "limiter.rules.catalog.tiers.gold.limit=2"
    };

    @AutoClose
    private static RedisServer redis;

    private static AheadOfTime processed;

    /** With storage: redis, which also has the beans of memory. The sample application covers the default. */
    @BeforeAll
    static void process(@TempDir Path directory) throws IOException {
        redis = RedisServer.started();
        processed = new AheadOfTime(AheadOfTimeApplication.class, directory, arguments());
    }

    @Test
    void limitsAsItDoesOtherwise() throws IOException {
        try (AheadOfTime.Running application = processed.start(arguments())) {
            awaitRedis(application.clients());
            int before = catalogKeys();
            assertLimits(application.clients());
            assertThat(catalogKeys()).as("alice and bob").isEqualTo(before + 2);
        }
    }

    /** Connects in the background. */
    private static void awaitRedis(Clients clients) {
        AtomicInteger attempts = new AtomicInteger();
        Conditions.await(() -> {
            clients.get("/catalog", "X-Api-Key", "nobody " + attempts.incrementAndGet());
            return catalogKeys() > 0;
        });
    }

    private static int catalogKeys() {
        return redis.ask(commands -> commands.keys("limiter:{catalog*").size());
    }

    /** Conditions were evaluated during processing. */
    @Test
    void canStillBeSwitchedOff() throws IOException {
        try (AheadOfTime.Running application = processed.start(arguments("limiter.enabled=false"))) {
            assertThat(statuses(application.clients(), 4, "/automatic")).containsOnly(200);
            assertThat(bodies(application.clients(), 4, "/orders/alice")).containsOnly("ordered");
        }
    }

    private static void assertLimits(Clients clients) {
        assertThat(statuses(clients, 4, "/automatic")).containsExactly(200, 200, 200, 429);
        assertThat(statuses(clients, 2, "/catalog", "X-Api-Key", "alice")).containsExactly(200, 429);
        assertThat(statuses(clients, 3, "/catalog", "X-Api-Key", "bob", "X-Plan", "gold"))
                .containsExactly(200, 200, 429);
        assertThat(bodies(clients, 2, "/orders/alice")).containsExactly("ordered", "later for alice");
        assertThat(bodies(clients, 1, "/orders/bob")).containsExactly("ordered");
    }

    private static Stream<Integer> statuses(Clients clients, int requests, String path, String... headers) {
        return Stream.generate(() -> clients.get(path, headers).statusCode()).limit(requests);
    }

    private static Stream<String> bodies(Clients clients, int requests, String path) {
        return Stream.generate(() -> clients.get(path)).map(HttpResponse::body).limit(requests);
    }

    private static String[] arguments(String... more) {
        String[] start = {
            "server.port=0",
            "spring.config.name=none",
            "limiter.storage=redis",
            "limiter.redis.timeout=5s",
            redis.property()
        };
        return Stream.of(start, PROPERTIES, more)
                .flatMap(Stream::of)
                .map(property -> "--" + property)
                .toArray(String[]::new);
    }
}
