package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import dev.limiter.testkit.manual.Manual;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis user with only the documented permissions, and users with fewer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RightsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private RedisServer server;
    private StatefulRedisConnection<String, String> admin;
    private final List<RedisClient> clients = new ArrayList<>();

    @BeforeAll
    void start() {
        server = RedisServer.started();
        admin = server.connect();
    }

    @AfterAll
    void stop() {
        clients.forEach(RedisClient::shutdown);
        server.close();
    }

    private RedisRateLimiterStorage storageOf(String user, String rights) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add(user)
                .add("reset")
                .add("on")
                .add(">secret")
                .add("~limiter:*");
        Arrays.stream(rights.split(" ")).forEach(arguments::add);
        admin.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withAuthentication(user, "secret".toCharArray())
                .build());
        clients.add(client);
        return RedisRateLimiterStorage.builder(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)))
                .timeout(Duration.ofSeconds(10))
                .lease(rule -> rule.name().equals("leased") ? 10 : 0)
                .build();
    }

    private static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(100, HOUR),
                Limit.tokenBucket(100, HOUR).warmUp(Duration.ofMinutes(1)),
                Limit.fixedWindow(100, HOUR),
                Limit.slidingWindowCounter(100, HOUR),
                Limit.slidingWindowLog(100, HOUR),
                Limit.concurrency(100));
    }

    @Test
    void theDocumentedPermissionsAreSufficient() {
        try (RedisRateLimiterStorage storage = storageOf("enough", RedisErrors.RIGHTS)) {
            List<Charge> all = new ArrayList<>();
            for (Limit limit : limits()) {
                Rule rule = Rule.of("rule " + limit, limit);
                for (int i = 0; i < 3; i++) {
                    Decision decision = storage.decide(List.of(rule.charge("key")));
                    decision.giveBack();
                }
                storage.decide(List.of(rule.charge("key", 0)));
                all.add(rule.charge("several"));
                // each algorithm after each other one, alternating, and while permits of the other one are used
                for (Limit other : limits()) {
                    Rule before = Rule.of("rolling" + limit, limit);
                    Rule after = Rule.of("rolling" + limit, other);
                    storage.decide(List.of(before.charge("key"))).giveBack();
                    storage.decide(List.of(after.charge("key"))).giveBack();
                    String key = "taken over by " + other;
                    try (Decision held = storage.decide(List.of(before.charge(key)))) {
                        assertThat(storage.decide(List.of(after.charge(key))).onFailure())
                                .isEmpty();
                        assertThat(held.permitted()).isTrue();
                    }
                }
                storage.reset(rule, "key");
            }
            storage.decide(all).close();
            storage.decide(Rule.of("leased", Limit.tokenBucket(1000, HOUR)), "key", 1);
            storage.cleanUp();
            new InstanceCounter(storage.redis(), "limiter:", System::nanoTime).sayHello();
            assertThat(storage.peek(Rule.of("rule " + limits().get(0), limits().get(0)), "key")
                            .remaining())
                    .isEqualTo(100);
        }
        assertThat(denied("enough")).isEmpty();
    }

    @Test
    void guideListsThePermissions() throws IOException {
        assertThat(Files.readString(Manual.page("guides/redis.md")))
                .contains("```text\n~limiter:* " + RedisErrors.RIGHTS + "\n```");
    }

    @Test
    void eachCommandOfTheScriptsIsDocumented() {
        Pattern call = Pattern.compile("(?:call|try)\\('([A-Z]+)'");
        List<String> commands = ScriptsTests.scripts().values().stream()
                .flatMap(script -> call.matcher(script.text()).results())
                .map(command -> "+" + command.group(1).toLowerCase(Locale.ROOT))
                .distinct()
                .filter(command -> !command.equals("+info"))
                .toList();
        assertThat(commands).hasSizeGreaterThan(20).isSubsetOf(RedisErrors.RIGHTS.split(" "));
    }

    /** Returns the rejected attempts of a user from {@code ACL LOG}. */
    private List<String> denied(String user) {
        return admin.sync().aclLog().stream()
                .filter(entry -> user.equals(String.valueOf(entry.get("username"))))
                .map(entry -> String.valueOf(entry.get("object")))
                .filter(command -> !List.of("hello", "client", "client|setinfo", "client|setname", "ping", "info")
                        .contains(command))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"+set", "+time", "+get"})
    void reportsTheMissingPermission(String right) {
        try (RedisRateLimiterStorage storage =
                storageOf("without" + right.substring(1), RedisErrors.RIGHTS.replace(right + " ", ""))) {
            assertThatThrownBy(() -> storage.decide(Rule.of("rule", Limit.fixedWindow(10, HOUR)), "key", 1))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("lacks a right")
                    .hasMessageContaining(RedisErrors.RIGHTS);
        }
    }

    /** For one request in a batch. */
    @Test
    void reportsTheMissingPermissionWhileOthersSucceed() {
        List<String> told = new CopyOnWriteArrayList<>();
        RedisRateLimiterStorage redis = storageOf("untold", RedisErrors.RIGHTS.replace("+rpush ", ""));
        Rule sound = Rule.of("sound", Limit.fixedWindow(1000, HOUR));
        Rule log = Rule.of(
                "log",
                Limit.slidingWindowLog(100, HOUR),
                Limit.tokenBucket(100, HOUR).named("b"));
        Rule pool = Rule.of("pool", Limit.concurrency(100));
        try (FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        redis, new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
                .listener(new StorageListener() {
                    @Override
                    public void lacksRight(String message) {
                        told.add(message);
                    }
                })
                .build()) {
            Conditions.await(() -> {
                storage.decide(sound, "key", 1);
                storage.decide(log, "key", 1);
                storage.decide(pool, "key", 1).close();
                storage.decideAsync(List.of(log.charge("key"))).join().giveBack();
                return !told.isEmpty();
            });
            assertThat(told.get(0)).contains("lacks a right", RedisErrors.RIGHTS);
            assertThat(storage.decide(sound, "key", 1).onFailure()).isEmpty();
        }
    }

    /** A broken state of one rule does not either: the node replies, so it is still used. */
    @Test
    void oneRuleWithoutPermissionDoesNotAffectOthers() {
        RedisRateLimiterStorage redis = storageOf("unheld", RedisErrors.RIGHTS.replace("+zadd ", ""));
        Rule sound = Rule.of("sound", Limit.fixedWindow(1000, HOUR));
        Rule pool = Rule.of("pool", Limit.concurrency(100));
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        try (FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        redis, new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
                .listener(new StorageListener() {
                    @Override
                    public void lost(String node, Throwable cause) {
                        lost.add(String.valueOf(cause.getMessage()));
                    }
                })
                .build()) {
            for (int i = 0; i < 50; i++) {
                assertThat(storage.decide(pool, "key", 1).onFailure()).isPresent();
            }
            admin.sync().set("limiter:{garbled:key}", "{}");
            Rule garbled = Rule.of("garbled", Limit.fixedWindow(1000, HOUR));
            for (int i = 0; i < 50; i++) {
                assertThat(storage.decide(garbled, "key", 1).onFailure()).isPresent();
            }
            assertThat(storage.decide(sound, "key", 1).onFailure()).isEmpty();
            assertThat(lost).isEmpty();
        }
    }

    @Test
    void reportsAWrongPassword() {
        storageOf("known", RedisErrors.RIGHTS).close();
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(server.port())
                .withAuthentication("known", "wrong".toCharArray())
                .build());
        clients.add(client);
        ConnectingRedis connecting = new ConnectingRedis(
                () -> CompletableFuture.supplyAsync(() -> new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE))));
        connecting.connect();
        connecting.connected().toCompletableFuture().join();
        try (RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(connecting)
                .timeout(Duration.ofSeconds(5))
                .build()) {
            assertThatThrownBy(() -> storage.decide(Rule.of("rule", Limit.fixedWindow(10, HOUR)), "key", 1))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContainingAll("cannot be reached", "WRONGPASS");
        }
    }

    @Test
    void reportsThatScriptsAreNotPermitted() {
        try (RedisRateLimiterStorage storage = storageOf("scripts", "+ping")) {
            assertThatThrownBy(() -> storage.decide(Rule.of("rule", Limit.fixedWindow(10, HOUR)), "key", 1))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("lacks a right")
                    .hasMessageContaining("'eval'");
        }
    }
}
